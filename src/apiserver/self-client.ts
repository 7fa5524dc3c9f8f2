import { StatusError } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import type { Answer } from './answers/answer.ts';
import type { Call } from './request/call.ts';
import { inProcessCall } from './transport/in-process-call.ts';

/** The identity with which the server writes its own objects. */
const SELF = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** Passes calls through the stages. */
interface Handler {
  answer(call: Call): Answer | Promise<Answer>;
}

/** The field manager of the write; default the server's name. */
export interface SelfWriteOptions {
  readonly fieldManager?: string;
}

/**
 * The client for the server's own writes: they pass the same stages as those of other clients, without a socket. The server reads with
 * `ServerObjects`.
 */
export class SelfClient {
  readonly #clock: Clock;
  #server: Handler | undefined;

  /** Created before the server, whose admission and authentication use it to write once requests arrive. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server calls this when it can handle requests. */
  open(server: Handler): void {
    this.#server = server;
  }

  /** Creates the object in a collection unless it exists; returns true when it was created. */
  async ensure(collection: string, object: { readonly metadata: { readonly name: string } }): Promise<boolean> {
    const { name } = object.metadata;
    if ((await this.#send('GET', `${collection}/${name}`)).type === 'object') return false;
    return this.create(collection, object);
  }

  /** Creates the object; returns false when it exists. */
  async create(collection: string, object: object, options?: SelfWriteOptions): Promise<boolean> {
    const answer = await this.#send('POST', collection + queryOf(options), object);
    if (answer.type === 'status' && answer.status.reason === 'AlreadyExists') return false; // another server created it first
    refuseFailure(answer);
    return true;
  }

  async update(path: string, object: object, options?: SelfWriteOptions): Promise<void> {
    refuseFailure(await this.#send('PUT', path + queryOf(options), object));
  }

  /** Applies an object with force; returns false when the object does not exist. */
  async apply(path: string, object: object, options: Required<SelfWriteOptions>): Promise<boolean> {
    const answer = await this.#send('PATCH', `${path}${queryOf(options)}&force=true`, object);
    if (answer.type === 'status' && answer.status.reason === 'NotFound') return false;
    refuseFailure(answer);
    return true;
  }

  async delete(path: string): Promise<void> {
    refuseFailure(await this.#send('DELETE', path));
  }

  async #send(method: string, path: string, body?: object): Promise<Answer> {
    const call = inProcessCall({
      method,
      path,
      headers: { 'content-type': method === 'PATCH' ? APPLY : 'application/json', 'user-agent': 'kube-apiserver' },
      body: body === undefined ? '' : JSON.stringify(body),
      certificate: SELF,
      clock: this.#clock,
    });
    if (this.#server === undefined) throw new Error(`Cannot ${method} "${path}": the server is not open yet`);
    return this.#server.answer(call);
  }
}

const APPLY = 'application/apply-patch+yaml';

function queryOf({ fieldManager }: SelfWriteOptions = {}): string {
  return fieldManager === undefined ? '' : `?fieldManager=${encodeURIComponent(fieldManager)}`;
}

function refuseFailure(answer: Answer): void {
  if (answer.type === 'status' && answer.status.status !== 'Success')
    throw new StatusError({ message: '', ...answer.status });
}
