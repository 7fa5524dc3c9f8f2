import { StatusError } from '../api/index.ts';
import type { ApiObject } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import type { Answer } from './answers/answer.ts';
import type { Call } from './request/call.ts';
import { StoredObject } from './storage/stored-object.ts';
import { inProcessCall } from './transport/in-process-call.ts';

/** The identity under which the server sets up its own objects. */
const SELF = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** The server's writes to itself: through the same stages as any client's, without a socket. It reads with `ServerObjects`. */
export class SelfClient {
  readonly #server: { handle(call: Call): Promise<Answer> };
  readonly #clock: Clock;

  constructor(server: { handle(call: Call): Promise<Answer> }, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** Creates the object in a collection unless one of its name is there; true when it was created. */
  async ensure(collection: string, object: { readonly metadata: { readonly name: string } }): Promise<boolean> {
    const { name } = object.metadata;
    const found = await this.#send('GET', `${collection}/${name}`);
    if (found.type === 'object') return false;
    const answer = await this.#send('POST', collection, object);
    if (answer.type === 'status' && answer.status.reason === 'AlreadyExists') return false; // another server was first
    objectOf(answer);
    return true;
  }

  async update(path: string, object: object): Promise<ApiObject> {
    return objectOf(await this.#send('PUT', path, object));
  }

  #send(method: string, path: string, body?: object): Promise<Answer> {
    const call = inProcessCall({
      method,
      path,
      headers: { 'content-type': 'application/json', 'user-agent': 'keelson' },
      body: body === undefined ? '' : JSON.stringify(body),
      certificate: SELF,
      clock: this.#clock,
    });
    return this.#server.handle(call);
  }
}

/** The object of an answer; anything else is a failure. */
function objectOf(answer: Answer): ApiObject {
  if (answer.type === 'object') {
    return answer.object instanceof StoredObject ? answer.object.as(answer.resource) : answer.object;
  }
  if (answer.type !== 'status') throw new Error(`Cannot take an answer of type "${answer.type}" for an object`);
  const { code, reason, message = '', details } = answer.status;
  throw new StatusError({
    code,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  });
}
