import { Agent, request } from 'node:https';
import { ADMIN_TOKEN } from '../../peers/index.ts';

/** Sends JSON to a server under test as its administrator, on one connection that is kept. It does not check who answers. */
export class AdminClient implements Disposable {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

  constructor(url: string) {
    this.#url = url;
  }

  /** The code of the answer; its body is read and forgotten. */
  send(method: string, path: string, body?: object): Promise<number> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, this.#url), { method, agent: this.#agent, headers }, (answer) => {
        answer.on('error', reject);
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.resume();
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
