/**
 * What happens to loops that live in PostgreSQL: every event is one transaction, and one pure function says what follows.
 *
 * DBOS-LOOPS-1 the time is the database's, and never runs backwards for a loop;
 * DBOS-LOOPS-2 what a run reported counts once, however often its worker had to ask;
 * DBOS-LOOPS-3 an abort reaches whoever has begun the task, and what nobody answers for is over after a while: a dead
 *    worker keeps no loop from halting;
 * DBOS-LOOPS-4 a task is begun, and its result counts, for whom DBOS has given it to last: whoever had it before is
 *    refused.
 */
import type { Answer, LoopSpec, Signal } from "../../../loop/engine.ts";
import {
  claimTask,
  hostLoop,
  refuseResult,
  settleTask,
  unchanged,
  wakeLoop,
  whyNotHosted,
  type Claim,
  type HostedLoop,
  type Move,
  type Report,
  type Task,
} from "../../../loop/hosted-loop.ts";
import { abortedReport } from "../../../loop/perform-task.ts";
import { noLoop, signalLoop } from "../../../loop/signal-loop.ts";
import { timeOf } from "./dbos-database.ts";
import { keepLogs, type LogEnd } from "./dbos-logs.ts";
import { DBOS_SCHEMA, SCHEMA } from "./dbos-names.ts";
import { createLoopRows, type LoopRows, type RowsOptions, type Version } from "./dbos-rows.ts";
import type { Connection } from "./dbos-sdk.ts";

/** Who may begin a task learns what it takes to perform it. */
export type Begun =
  | (Extract<Claim, { ok: true }> & { readonly hosted: HostedLoop; readonly task: Task })
  | (Extract<Claim, { ok: false }> & {
      /** The asker was given up: its task is another worker's by now (DBOS-LEASE-1). */
      readonly replaced?: true;
    });

export interface Claimant {
  /** In the journal. */
  readonly name: string;
  /** Of this start of it: what DBOS calls it. */
  readonly id: string;
}

export interface BegunRun {
  readonly loop: string;
  readonly task: string;
  readonly run: number;
}

/** All of them reject with `DatabaseUnavailable`. */
export interface Loops {
  start(name: string, spec: LoopSpec): Promise<Answer>;
  signal(name: string, signal: Signal): Promise<Answer>;
  claim(name: string, task: string, worker: Claimant): Promise<Begun>;
  settle(name: string, report: Report): Promise<Answer>;
  wake(name: string): Promise<void>;
  /** DBOS-LOOPS-3: nobody answered for it in time. Nothing, if somebody did. */
  giveUpAborted(name: string, task: string): Promise<void>;
  read(name: string): Promise<HostedLoop | null>;
  names(): Promise<readonly string[]>;
  journal(name: string, from: number): Promise<readonly unknown[]>;
  keepLogs(run: BegunRun, logs: readonly LogEnd[]): Promise<void>;
  /** Runs of this start of a worker that are to end: aborted, or replaced by another run. */
  runsToEnd(worker: string): Promise<readonly BegunRun[]>;
}

const LINES_AT_ONCE = 1_000;

export function openLoops(options: RowsOptions, rows: LoopRows = createLoopRows(options)): Loops {
  const { database } = options;
  const moved = mover(options, rows);
  return {
    start: async (name, spec) => {
      const done = await database.transaction((connection) => begun(rows, connection, name, spec));
      if (done.version !== null) rows.remember(done.version);
      return done.answer;
    },
    signal: (name, signal) => moved(name, noLoop(name), (hosted, at) => signalLoop(hosted, signal, at)),
    claim: async (name, id, worker) => {
      const gone: Begun = { ok: false, reason: `there is no loop named ${name}` };
      const decide = (hosted: HostedLoop, at: string): Move<Begun> => claimed(hosted, id, worker.name, at);
      return await moved(name, gone, decide, async (connection, answer) => {
        const refusal = await whyNotIts(connection, `${name}/${id}`, worker);
        if (refusal !== null) return refusal;
        if (answer.ok) await recordRun(connection, { loop: name, task: id, run: answer.run }, worker.id);
        return null;
      });
    },
    settle: async (name, report) => {
      const ended = async (connection: Connection): Promise<Answer | null> =>
        (await endRun(connection, { ...report, loop: name }))
          ? null
          : { ok: true, message: "that was already reported", repeated: true };
      return await moved(name, noLoop(name), (hosted, at) => settled(hosted, report, at), ended);
    },
    wake: async (name) => void (await moved(name, null, wakeLoop)),
    giveUpAborted: async (name, id) => {
      await moved<Answer>(name, noLoop(name), (hosted, at) => {
        const task = hosted.tasks.find((open) => open.id === id && open.aborted);
        return task === undefined ? unchanged(hosted, noLoop(name)) : settleTask(hosted, abortedReport(task), at);
      });
    },
    read: async (name) => {
      const version = await rows.read(name, null);
      if (version !== null) rows.remember(version);
      return version?.hosted ?? null;
    },
    names: async () => {
      const text = `SELECT name FROM ${SCHEMA}.loops WHERE hosted <> ''`;
      return (await database.query(text)).map(({ name }) => String(name));
    },
    journal: async (name, from) => {
      const text = `SELECT line FROM ${SCHEMA}.lines WHERE loop = $1 AND number >= $2 ORDER BY number LIMIT ${LINES_AT_ONCE}`;
      return (await database.query(text, [name, from])).map(({ line }): unknown => JSON.parse(String(line)));
    },
    keepLogs: (run, logs) => keepLogs(database, run, logs),
    runsToEnd: async (worker) => {
      const text = `SELECT loop, task, run FROM ${SCHEMA}.runs WHERE worker = $1 AND aborted AND ended IS NULL`;
      const found = await database.query(text, [worker]);
      return found.map(({ loop, task, run }) => ({ loop: String(loop), task: String(task), run: Number(run) }));
    },
  };
}

type Mover = <R>(
  name: string,
  absent: R,
  decide: (hosted: HostedLoop, at: string) => Move<R>,
  /** In the same transaction; what it answers is answered instead, and nothing follows. */
  before?: (connection: Connection, answer: R) => Promise<R | null>,
) => Promise<R>;

function mover({ database }: RowsOptions, rows: LoopRows): Mover {
  return async (name, absent, decide, before) => {
    const { version, answer } = await database.transaction(async (connection) => {
      const known = await rows.read(name, connection);
      if (known === null) return { version: null, answer: absent };
      const { hosted } = known;
      // DBOS-LOOPS-1
      const [time, last] = [await timeOf(connection), hosted.loop.run.now];
      const at = time > last ? time : last;
      const move = decide(hosted, at);
      const instead = (await before?.(connection, move.answer)) ?? null;
      if (instead !== null) return { version: known, answer: instead };
      const next = move.hosted === hosted ? known : await rows.write(connection, known, move);
      return { version: next, answer: move.answer };
    });
    if (version !== null) rows.remember(version);
    return answer;
  };
}

async function begun(
  rows: LoopRows,
  connection: Connection,
  name: string,
  spec: LoopSpec,
): Promise<{ readonly version: Version | null; readonly answer: Answer }> {
  const known = { version: null, answer: { ok: true, message: `${name} is there already`, repeated: true } } as const;
  const refusal = whyNotHosted(spec);
  if (refusal !== null)
    return (await rows.read(name, connection)) === null ? { version: null, answer: refusal } : known;
  const text = `INSERT INTO ${SCHEMA}.loops VALUES ($1, 0, '') ON CONFLICT DO NOTHING`;
  const { rowCount } = await connection.query(text, [name]);
  if (rowCount === 0 && (await rows.read(name, connection)) !== null) return known;
  if (rowCount === 0) {
    const message = `${name} was completed there and is forgotten by now`;
    return {
      version: null,
      answer: { ok: false, message, hint: "align the goal anew: that makes a loop of another name" },
    };
  }
  const move = hostLoop(name, spec, await timeOf(connection));
  const version = await rows.write(connection, { version: 0, hosted: { ...move.hosted, count: 0 } }, move);
  return { version, answer: move.answer };
}

/** DBOS-LOOPS-4: DBOS says whose the workflow is. Null: it is the worker's. */
async function whyNotIts(
  connection: Connection,
  workflow: string,
  { id }: Claimant,
): Promise<Extract<Begun, { ok: false }> | null> {
  const text = `SELECT 1 FROM ${DBOS_SCHEMA}.workflow_status
    WHERE workflow_uuid = $1 AND executor_id = $2 AND status = 'PENDING'`;
  const { rowCount } = await connection.query(text, [workflow, id]);
  return rowCount === 1 ? null : { ok: false, reason: `${workflow} is another worker's by now`, replaced: true };
}

/** DBOS-LOOPS-4: of a task's runs only the last one has an owner. */
function settled(hosted: HostedLoop, report: Report, at: string): Move<Answer> {
  const task = hosted.tasks.find(({ id }) => id === report.task);
  if (task === undefined || report.run === 0 || report.run >= task.run) return settleTask(hosted, report, at);
  return refuseResult(hosted, report, `run ${task.run} has replaced it`, at);
}

/** Who has begun it before has been replaced. */
async function recordRun(connection: Connection, { loop, task, run }: BegunRun, worker: string): Promise<void> {
  await connection.query(`UPDATE ${SCHEMA}.runs SET aborted = true WHERE loop = $1 AND task = $2`, [loop, task]);
  const text = `INSERT INTO ${SCHEMA}.runs (loop, task, run, worker) VALUES ($1, $2, $3, $4)`;
  await connection.query(text, [loop, task, run, worker]);
}

/** DBOS-LOOPS-2: false: it has ended before. */
async function endRun(connection: Connection, { loop, task, run }: BegunRun): Promise<boolean> {
  const [where, values] = ["loop = $1 AND task = $2 AND run = $3", [loop, task, run]];
  const text = `UPDATE ${SCHEMA}.runs SET ended = clock_timestamp() WHERE ${where} AND ended IS NULL`;
  if ((await connection.query(text, values)).rowCount !== 0) return true;
  return (await connection.query(`SELECT 1 FROM ${SCHEMA}.runs WHERE ${where}`, values)).rowCount === 0;
}

function claimed(hosted: HostedLoop, id: string, worker: string, at: string): Move<Begun> {
  const task = hosted.tasks.find((open) => open.id === id);
  const { answer, ...move } = claimTask(hosted, id, { worker, at });
  if (!answer.ok || task === undefined) {
    const refusal = answer.ok ? { ok: false as const, reason: `${id} is over` } : answer;
    // DBOS-LOOPS-3: it was aborted after its worker had died; nobody else reports it.
    return task === undefined
      ? { ...move, answer: refusal }
      : { ...settleTask(hosted, abortedReport(task), at), answer: refusal };
  }
  return { ...move, answer: { ...answer, hosted: move.hosted, task } };
}
