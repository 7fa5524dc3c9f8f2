// Pods whose restarts, exit codes and logs show whether a kill of the agent, the runtime or the API server was noticed.
import { type Client, type Observed, type Pod, podLog } from '../../../src/client/index.ts';

export const NAMESPACE = 'kills';
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';
const COUNTING = 'i=0; while true; do i=$((i+1)); echo line $i; sleep 1; done';

/** What is known of a pod that must go on running. */
interface Steady {
  readonly uid: string;
  readonly containerId: string;
}

export class Workload {
  readonly #client: Client;
  readonly #steady = new Map<string, Steady>();
  /** The exit code that each pod which ends by itself must report. */
  readonly #codes = new Map<string, number>();
  #ending = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates the pods that must run through everything, and remembers their containers once all are ready. */
  async start(
    count: number,
    until: (what: string, check: () => Promise<string | undefined>) => Promise<void>,
  ): Promise<void> {
    await this.#client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
    for (let index = 0; index < count; index++)
      await this.#create(`steady-${index}`, COUNTING, { restartPolicy: 'Always' });
    await until(`${count} ready pods`, async () => {
      const pods = await this.#list();
      const unready = pods.filter((pod) => !isReady(pod));
      return pods.length === count && unready.length === 0
        ? undefined
        : `${unready.length} of ${pods.length} are not ready`;
    });
    for (const pod of await this.#list())
      this.#steady.set(pod.metadata?.name ?? '', {
        uid: pod.metadata?.uid ?? '',
        containerId: pod.status?.containerStatuses?.[0]?.containerID ?? '',
      });
  }

  /** Creates a pod that ends by itself after some seconds, with a code of its own. */
  async addEnding(seconds: number): Promise<void> {
    const number = this.#ending++;
    const code = 10 + (number % 90);
    const name = `ending-${number}`;
    await this.#create(name, `sleep ${seconds}; echo last words; exit ${code}`, { restartPolicy: 'Never' });
    this.#codes.set(name, code);
  }

  /** Deletes a pod that must go on; it is forgotten. Returns its name, undefined when none is left to spare. */
  async deleteOne(): Promise<string | undefined> {
    const [name] = this.#steady.keys();
    if (name === undefined || this.#steady.size < 10) return undefined;
    this.#steady.delete(name);
    await this.#client.core.v1.pods.namespace(NAMESPACE).delete(name, { gracePeriodSeconds: 1 });
    return name;
  }

  /** Everything that is not as if nothing had been killed, one line each. */
  async problems(): Promise<readonly string[]> {
    const found: string[] = [];
    const pods = new Map((await this.#list()).map((pod) => [pod.metadata?.name ?? '', pod]));
    for (const [name, { uid, containerId }] of this.#steady) {
      const pod = pods.get(name);
      const status = pod?.status?.containerStatuses?.[0];
      if (pod?.metadata?.uid !== uid) found.push(`${name} is gone`);
      else if (status?.containerID !== containerId || status.restartCount !== 0) found.push(`${name} was restarted`);
      else if (!isReady(pod)) found.push(`${name} is not ready`);
      else found.push(...(await this.#gaps(name)));
    }
    for (const [name, code] of this.#codes) {
      const ended = pods.get(name)?.status?.containerStatuses?.[0]?.state?.terminated;
      if (ended?.exitCode !== code) found.push(`${name} should have ended with ${code}, got ${ended?.exitCode}`);
    }
    for (const name of pods.keys())
      if (!this.#steady.has(name) && !this.#codes.has(name)) found.push(`${name} was deleted and is still there`);
    return found;
  }

  async deleteAll(): Promise<void> {
    const pods = this.#client.core.v1.pods.namespace(NAMESPACE);
    for (const { metadata } of await this.#list()) await pods.delete(metadata?.name ?? '', { gracePeriodSeconds: 1 });
  }

  async count(): Promise<number> {
    return (await this.#list()).length;
  }

  async #gaps(name: string): Promise<readonly string[]> {
    let text = '';
    for await (const line of podLog(this.#client.core.v1.pods.namespace(NAMESPACE), name)) text += line;
    const numbers = text
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[1]));
    const gap = numbers.findIndex((number, index) => number !== index + 1);
    return gap < 0 ? [] : [`the log of ${name} has line ${numbers[gap]} at place ${gap + 1}`];
  }

  async #list(): Promise<readonly Observed<Pod>[]> {
    return (await this.#client.core.v1.pods.namespace(NAMESPACE).list()).items;
  }

  async #create(name: string, script: string, { restartPolicy }: { restartPolicy: 'Always' | 'Never' }): Promise<void> {
    await this.#client.core.v1.pods.namespace(NAMESPACE).create({
      metadata: { name },
      spec: {
        restartPolicy,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: IMAGE, command: ['sh', '-c', script] }],
      },
    });
  }
}

function isReady({ status }: Observed<Pod>): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
