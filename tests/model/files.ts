/**
 * The disk of these tests as real files: the real store, journal and state file of `adapters/store/`. Slower by far
 * than `disk.ts`, and the proof that the two keep one contract.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../src/adapters/store/journal.ts";
import { entriesOf, readJournal } from "../../src/adapters/store/journal-reader.ts";
import { createLoopStore } from "../../src/adapters/store/loop-store.ts";
import { stateFile } from "../../src/adapters/store/state-file.ts";
import { accepted, describeProblems, refused, type Result } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { createStateText } from "../../src/statefile/create.ts";
import type { DiskWatch, Disk } from "./disk.ts";

export interface FileDisk extends Disk {
  /** Closes what is open. */
  close(): void;
}

/** @param folder an empty folder, the caller's to remove */
export async function createFileDisk(folder: string, state: State): Promise<FileDisk> {
  const path = join(folder, "state.md");
  const paths = loopPaths(path);
  expectOk(stateFile.create(path, createStateText(state, "the work")));
  const journal = expectOk(openJournal(paths.journal));

  return {
    text: () => readFileSync(path, "utf8"),
    state: () => expectOk(stateFile.read(path)).state,
    lines: () => [...entriesOf(readJournal(paths.journal))],
    append: (lines) => void expectOk(journal.append(lines)),
    edit: (change) => {
      const edited = stateFile.edit(path, (document) => change(document.state));
      return edited.ok ? accepted(edited.value.after) : edited;
    },
    store: (run, watch: DiskWatch) => {
      const store = createLoopStore({ stateFile: path, document: expectOk(stateFile.read(path)), journal, run });
      return {
        append: (lines) => {
          if (watch.isFull()) return refused("no space left", "free some");
          watch.point("before append");
          try {
            watch.point("torn append");
          } catch (death) {
            const [first] = lines;
            if (first !== undefined) appendFileSync(paths.journal, JSON.stringify(first).slice(0, -3));
            throw death;
          }
          const done = store.append(lines);
          if (done.ok) watch.appended(lines);
          watch.point("after append");
          return done;
        },
        save: (next) => {
          if (watch.isFull()) return refused("no space left", "free some");
          watch.point("before save");
          const saved = store.save(next);
          if (saved.ok) watch.saved(next);
          watch.point("after save");
          watch.wrote();
          return saved;
        },
        look: () => store.look(),
      };
    },
    close: () => journal.close(),
  };
}

function expectOk<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(describeProblems(result.problems));
  return result.value;
}
