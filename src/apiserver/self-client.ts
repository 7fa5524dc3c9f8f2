import { StatusError } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import type { Answer } from './answers/answer.ts';
import type { Call } from './request/call.ts';
import { inProcessCall } from './transport/in-process-call.ts';

/** The identity under which the server sets up its own objects. */
const SELF = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** Whatever takes calls through the stages. */
interface Handler {
  answer(call: Call): Answer | Promise<Answer>;
}

/** Who the written fields belong to; default the server as such. */
export interface SelfWriteOptions {
  readonly fieldManager?: string;
}

/** The server's writes to itself: through the same stages as any client's, without a socket. It reads with `ServerObjects`. */
export class SelfClient {
  readonly #clock: Clock;
  #server: Handler | undefined;

  /** Made before the server, whose admission and authentication may write with it once requests come. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The server calls this when it can take requests. */
  open(server: Handler): void {
    this.#server = server;
  }

  /** Creates the object in a collection unless one of its name is there; true when it was created. */
  async ensure(collection: string, object: { readonly metadata: { readonly name: string } }): Promise<boolean> {
    const { name } = object.metadata;
    if ((await this.#send('GET', `${collection}/${name}`)).type === 'object') return false;
    return this.create(collection, object);
  }

  /** Creates the object; false when one of its name is there. */
  async create(collection: string, object: object, options?: SelfWriteOptions): Promise<boolean> {
    const answer = await this.#send('POST', collection + queryOf(options), object);
    if (answer.type === 'status' && answer.status.reason === 'AlreadyExists') return false; // another server was first
    refuseFailure(answer);
    return true;
  }

  async update(path: string, object: object, options?: SelfWriteOptions): Promise<void> {
    refuseFailure(await this.#send('PUT', path + queryOf(options), object));
  }

  /** Server-side apply that takes what it wants; false when the object is not there. */
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
    if (this.#server === undefined) throw new Error(`Cannot ${method} "${path}": the server is not there yet`);
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
