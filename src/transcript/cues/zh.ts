import type { CueWords } from "../language.ts";

export const ZH: CueWords = {
  code: "zh",
  script: "han",
  start: "(?:^|[，。、,！；])",
  cues: [
    { kind: "correction", weight: 0.6, pattern: "^(?:不对|不是|错了|不行|别这样|不要这样)(?=$|[，。,！!、 ])" },
    {
      kind: "correction",
      weight: 0.65,
      pattern: "(?:这|那)(?:样|个)?(?:是)?(?:错的|不对|错了)|(?:弄|搞|改|写)错了|不是我(?:要|想要|说)的",
    },
    {
      kind: "correction",
      weight: 0.6,
      needs: "subject",
      pattern:
        "(?:不要|别|不准|不许|禁止|不能|请勿)(?:再)?(?:去)?(?:用|使用|改|修改|动|碰|删|删除|提交|推送|运行|执行|编辑|安装|写)",
    },
    { kind: "correction", weight: 0.6, needs: "subject", pattern: "(?:而不是|代替|改用|应该用|应该是|应该在)" },
    {
      kind: "correction",
      asks: true,
      weight: 0.75,
      pattern: "(?:我没(?:有)?让你|我没(?:有)?叫你|没(?:有)?要求你|谁让你)",
    },
    {
      kind: "correction",
      weight: 0.35,
      needs: "subject",
      pattern: "(?:项目|我们|这里|仓库)(?:里|中)?(?:都|用的是|是用|使用|用)",
    },
    {
      kind: "correction",
      weight: 0.55,
      asks: true,
      needs: "change",
      pattern: "(?:为什么|干嘛|怎么)(?:你)?(?:要)?(?:改|删|动|提交|推送|修改)",
    },
    { kind: "correction", weight: 0.55, needs: "subject", pattern: "(?:我不想|我不要|我不需要|请不要|请别)" },
    {
      kind: "frustration",
      weight: 0.75,
      asks: true,
      pattern: "(?:说过|告诉过你|讲过|提醒过).{0,4}(?:多少次|很多次|好几次|了)|多少次|第几次",
    },
    {
      kind: "frustration",
      weight: 0.6,
      asks: true,
      needs: "change",
      pattern: "(?:怎么又|又来了|又是|烦死|搞什么|什么鬼)",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern:
        "(?:撤销|撤回|回退|回滚|恢复|还原|改回|换回)(?:.{0,8})(?:修改|改动|更改|刚才|原样|原来|去|来|一下|吧|它|文件|$)|改回去|改回来",
    },
  ],
  dampers: [
    { factor: 0.2, pattern: "(?:如果|假如|要是|万一|比如|例如)" },
    { factor: 0.2, pattern: "(?:客户|老板|同事|用户|他|她|有人)(?:说|写|觉得|认为|要求)" },
    { factor: 0.2, pattern: "(?:没错|不错|没问题|别担心|不用担心|没关系)" },
    { factor: 0.15, message: true, pattern: "(?:我的错|我弄错|我说错|我写错)" },
    { factor: 0.25, pattern: "(?:实现|添加|增加|写一个).{0,10}(?:撤销|恢复)" },
  ],
  introduction: "(?:日志|输出|错误|报错|消息|评论|文档)[^。]*[:：]\\s*$",
  apology: "(?:抱歉|对不起|不好意思|是我的错)",
  concepts: [
    { word: "注释", call: "(?:^|\\s)(?://|#(?!!)|/\\*|<!--)" },
    { word: "测试", call: "(?:^|[\\\\/_.])(?:tests?|specs?)(?:[\\\\/_.]|$)|\\btest\\b" },
    { word: "删", call: "\\brm\\b|\\bdelete\\b|\\bdrop\\b|\\bprune\\b|\\breset\\b|\\s-[dD]\\b" },
    { word: "提交", call: "\\bcommit\\b" },
    { word: "推送", call: "\\bpush\\b" },
    { word: "(?:生产|线上)", call: "\\bprod(?:uction)?\\b" },
  ],
};
