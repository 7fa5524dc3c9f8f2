import type { Outgoing, Reply, Target } from './target.ts';

/** What a case has for itself on a server: a namespace, and whatever it creates there or elsewhere. Gone when disposed of. */
export class CaseRoom implements AsyncDisposable {
  readonly #target: Target;
  readonly #namespace: string;
  readonly #created: string[] = [];

  constructor(target: Target, namespace: string) {
    this.#target = target;
    this.#namespace = namespace;
  }

  async prepare(needsServiceAccount: boolean): Promise<void> {
    await this.#must('POST', '/api/v1/namespaces', { metadata: { name: this.#namespace } });
    this.#created.push(`/api/v1/namespaces/${this.#namespace}`);
    if (!needsServiceAccount) return;
    const path = `/api/v1/namespaces/${this.#namespace}/serviceaccounts`;
    await this.#must('POST', path, { metadata: { name: 'default' } });
  }

  /** Remembers what a request has created. */
  note(method: string, path: string, reply: Reply): void {
    const [collection = '', query = ''] = path.split('?');
    if (method !== 'POST' || reply.status !== 201 || query.includes('dryRun')) return;
    const name = /"name": ?"([^"]+)"/.exec(reply.body.toString('utf8'))?.[1];
    if (name !== undefined) this.#created.push(`${collection}/${name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#created.reverse()) {
      await this.#send('DELETE', path, { gracePeriodSeconds: 0 });
      if (path.includes(`/namespaces/${this.#namespace}/`)) continue;
      await this.#send('PATCH', path, { metadata: { finalizers: null } });
      if (/^\/api\/v1\/namespaces\/[^/]+$/.test(path)) await this.#finalize(path);
    }
  }

  /** No controller empties namespaces here: one goes when its own finalizer is taken away. */
  async #finalize(path: string): Promise<void> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    await this.#send('PUT', `${path}/finalize`, { metadata: { name }, spec: { finalizers: [] } });
  }

  async #must(method: string, path: string, body: object): Promise<void> {
    const { status, body: answer } = await this.#send(method, path, body);
    if (status >= 400) throw new Error(`Cannot prepare: ${method} ${path} got ${status} ${answer.toString('utf8')}`);
  }

  #send(method: Outgoing['method'], path: string, body: object): Promise<Reply> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'Content-Type': type, Accept: 'application/json' };
    const text = JSON.stringify(body);
    return this.#target.send({ method, path, headers, body: text, isAnonymous: false, events: undefined });
  }
}
