/** DBOS's client: what asks for workflows without running any. */
import { APPLICATION, DBOS_SCHEMA, VERSION } from "./dbos-names.ts";
import type { RowsOptions } from "./dbos-rows.ts";
import type { DbosSdk, Pool } from "./dbos-sdk.ts";

export async function createClient(sdk: DbosSdk, pool: Pool): ReturnType<DbosSdk["DBOSClient"]["create"]> {
  const quiet = (): void => {};
  return await sdk.DBOSClient.create({
    // The pool has the address.
    systemDatabaseUrl: "",
    systemDatabasePool: pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    applicationName: APPLICATION,
    logger: { info: quiet, debug: quiet, warn: quiet, error: quiet },
  });
}

/** DBOS's own way to have a workflow run if, and only if, the transaction that asks for it commits. */
export function enqueuer(sdk: DbosSdk, pool: Pool): RowsOptions["enqueue"] {
  const client = createClient(sdk, pool);
  return async (connection, { id, workflow, queue, args, partition, priority, delay_ms }) => {
    const options = {
      workflowID: id,
      workflowName: workflow,
      queueName: queue,
      appVersion: VERSION,
      ...(partition === undefined ? {} : { queuePartitionKey: partition }),
      ...(priority === undefined ? {} : { priority }),
      ...(delay_ms === undefined ? {} : { delaySeconds: delay_ms / 1_000 }),
    };
    await (await client).enqueueInTransaction(connection, options, ...args);
  };
}
