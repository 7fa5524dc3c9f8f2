/** Requests at once while a cluster is made. */
const MAX_REQUESTS = 32;

/** Does the work for every index, some at once. */
export async function inTurns(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, worker));
}
