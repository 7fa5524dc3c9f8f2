import { StatusError } from '../api/index.ts';
import type { ApiObject } from '../api/index.ts';
import { inProcessCall, StoredObject } from '../apiserver/index.ts';
import type { Answer, ApiServer } from '../apiserver/index.ts';
import type { Clock } from '../base/index.ts';

/** The server's own identity, with which it sets up its objects. */
const SELF = { commonName: 'system:apiserver', organizations: ['system:masters'] };

/** The cluster's own requests to its API server: the same stages as any client's, without a socket. */
export class Loopback {
  readonly #server: ApiServer;
  readonly #clock: Clock;

  constructor(server: ApiServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  async get(path: string): Promise<ApiObject | undefined> {
    const answer = await this.#send('GET', path);
    return answer.type === 'status' && answer.status.code === 404 ? undefined : objectOf(answer);
  }

  async create(path: string, object: object): Promise<ApiObject> {
    return objectOf(await this.#send('POST', path, object));
  }

  /** Creates the object unless one of its name is there; tells whether it did. */
  async ensure(path: string, object: { readonly metadata: { readonly name: string } }): Promise<boolean> {
    if ((await this.get(`${path}/${object.metadata.name}`)) !== undefined) return false;
    const answer = await this.#send('POST', path, object);
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
      body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
      certificate: SELF,
      clock: this.#clock,
    });
    return this.#server.answer(call);
  }
}

/** The object of an answer; anything else is a failure. */
function objectOf(answer: Answer): ApiObject {
  if (answer.type === 'object') {
    return answer.object instanceof StoredObject ? answer.object.as(answer.resource) : answer.object;
  }
  if (answer.type === 'status') {
    const { code, reason, message = '', details } = answer.status;
    throw new StatusError({
      code,
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
    });
  }
  throw new Error(`Cannot take an answer of type "${answer.type}" for an object`);
}
