// Runs the steps of an interop program and prints what came of them as one line of JSON.
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_LIMIT_MS = 40_000;

/** Collects the outcomes of one client. */
export class Report {
  #report;

  constructor(client, version) {
    this.#report = { client, version, outcomes: [] };
  }

  /** Runs one step; a failed one does not keep later ones from running. */
  async step(name, run) {
    try {
      await run();
      this.#report.outcomes.push({ step: name, passed: true });
    } catch (error) {
      this.#report.outcomes.push({ step: name, passed: false, message: String(error?.message ?? error) });
    }
  }

  print() {
    console.log(JSON.stringify(this.#report));
  }
}

export function expect(isSo, message) {
  if (!isSo) throw new Error(message);
}

/** Fails unless the call is refused with this code. */
export async function expectCode(code, call) {
  const refused = await call().then(
    () => undefined,
    (error) => error,
  );
  expect(refused !== undefined, `it was let through instead of ${code}`);
  expect(refused.code === code, `${refused.code} instead of ${code}: ${refused.message}`);
}

/** Asks until the answer is no error, and fails with the last one when the time is up. */
export async function eventually(ask) {
  const end = performance.now() + STEP_LIMIT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(100);
    }
  }
}
