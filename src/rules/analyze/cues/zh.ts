/** What is said in Chinese. */
import type { CueWords } from "../language.ts";

export const ZH: CueWords = {
  script: "han",
  start: String.raw`(?:^|[，。、,！；])`,
  cues: String.raw`
    correction 0.6: ^(?:不对|不是|错了|不行|别这样|不要这样)(?=$|[，。,！!、 ])
    correction 0.65: (?:这|那)(?:样|个)?(?:是)?(?:错的|不对|错了)|(?:弄|搞|改|写)错了|不是我(?:要|想要|说)的
    correction 0.6 subject: (?:不要|别|不准|不许|禁止|不能|请勿)(?:再)?(?:去)?(?:用|使用|改|修改|动|碰|删|删除|提交|推送|运行|执行|编辑|安装|写)
    correction 0.6 subject: (?:而不是|代替|改用|应该用|应该是|应该在)
    correction 0.75 asks: (?:我没(?:有)?让你|我没(?:有)?叫你|没(?:有)?要求你|谁让你)
    correction 0.35 subject: (?:项目|我们|这里|仓库)(?:里|中)?(?:都|用的是|是用|使用|用)
    correction 0.55 change asks: (?:为什么|干嘛|怎么)(?:你)?(?:要)?(?:改|删|动|提交|推送|修改)
    correction 0.55 subject: (?:我不想|我不要|我不需要|请不要|请别)
    frustration 0.75 asks: (?:说过|告诉过你|讲过|提醒过).{0,4}(?:多少次|很多次|好几次|了)|多少次|第几次
    frustration 0.6 change asks: (?:怎么又|又来了|又是|烦死|搞什么|什么鬼)
    revert 0.75 change: (?:撤销|撤回|回退|回滚|恢复|还原|改回|换回)(?:.{0,8})(?:修改|改动|更改|刚才|原样|原来|去|来|一下|吧|它|文件|$)|改回去|改回来
  `,
  dampers: String.raw`
    0.2: (?:如果|假如|要是|万一|比如|例如)
    0.2: (?:客户|老板|同事|用户|他|她|有人)(?:说|写|觉得|认为|要求)
    0.2: (?:没错|不错|没问题|别担心|不用担心|没关系)
    0.15 message: (?:我的错|我弄错|我说错|我写错)
    0.25: (?:实现|添加|增加|写一个).{0,10}(?:撤销|恢复)
  `,
  introduction: String.raw`(?:日志|输出|错误|报错|消息|评论|文档)[^。]*[:：]\s*$`,
  apology: String.raw`(?:抱歉|对不起|不好意思|是我的错)`,
  concepts: String.raw`
    注释 => (?:^|\s)(?://|#(?!!)|/\*|<!--)
    测试 => (?:^|[\\/_.])(?:tests?|specs?)(?:[\\/_.]|$)|\btest\b
    删 => \brm\b|\bdelete\b|\bdrop\b|\bprune\b|\breset\b|\s-[dD]\b
    提交 => \bcommit\b
    推送 => \bpush\b
    (?:生产|线上) => \bprod(?:uction)?\b
  `,
};
