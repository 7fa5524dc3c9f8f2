import { parseRuntimeConfig } from '../../api/index.ts';
import { type Answer, type ClientCertificate, inProcessCall } from '../../apiserver/index.ts';
import { discardLogger, RealClock, SeededRandom, VirtualClock } from '../../base/index.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../cluster/index.ts';

export interface TestRequest {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly certificate?: ClientCertificate;
  readonly proxyCertificate?: ClientCertificate;
}

/** The answer: the object or Status, the warnings, and the audit annotations. */
export interface TestAnswer {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

const ADMIN: ClientCertificate = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/** A control plane in memory with a virtual clock; requests reach it without sockets. */
export class TestPlane implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly plane: ControlPlane;
  readonly #stop: AbortController;

  private constructor(plane: ControlPlane, clock: VirtualClock, stop: AbortController) {
    this.plane = plane;
    this.clock = clock;
    this.#stop = stop;
  }

  static async start(options: Partial<ControlPlaneOptions> = {}): Promise<TestPlane> {
    const clock = new VirtualClock({ startMs: Date.parse('2026-01-01T00:00:00Z') });
    const stop = new AbortController();
    const plane = await startControlPlane({
      name: 'test',
      storage: { type: 'memory' },
      runtimeConfig: parseRuntimeConfig(),
      serviceCidrs: ['10.96.0.0/16'],
      clock,
      certificateClock: new RealClock(),
      random: new SeededRandom(1),
      log: discardLogger,
      signal: stop.signal,
      ...options,
      admission: { disable: ['ServiceAccount'], ...options.admission },
    });
    return new TestPlane(plane, clock, stop);
  }

  /** Sends a request with the given credentials, if any. */
  async send(method: string, path: string, request: TestRequest = {}): Promise<TestAnswer> {
    const { body, headers = {}, certificate, proxyCertificate } = request;
    const call = inProcessCall({
      method,
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
      clock: this.clock,
      ...(certificate === undefined ? {} : { certificate }),
      ...(proxyCertificate === undefined ? {} : { proxyCertificate }),
    });
    const answer = await this.plane.server.answer(call);
    const annotations = Object.fromEntries(call.record.annotations.values);
    return { ...outcome(answer), warnings: call.record.warnings.texts, annotations };
  }

  /** Sends a request as the cluster's administrator. */
  admin(method: string, path: string, body?: object, headers: TestRequest['headers'] = {}): Promise<TestAnswer> {
    return this.send(method, path, { ...(body === undefined ? {} : { body }), headers, certificate: ADMIN });
  }

  /** The user that the server authenticates the sender as; the Status when it refuses. */
  async whoami(request: TestRequest): Promise<unknown> {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { code, body } = await this.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      ...request,
      body: review,
    });
    return code === 201 ? (body['status'] as { readonly userInfo: unknown }).userInfo : body;
  }

  /** The status of a TokenReview for a token. */
  async review(token: string, audiences: readonly string[] = []): Promise<unknown> {
    const spec = { token, ...(audiences.length === 0 ? {} : { audiences }) };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
    return (await this.admin('POST', '/apis/authentication.k8s.io/v1/tokenreviews', body)).body['status'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.plane[Symbol.asyncDispose]();
  }
}

function outcome(answer: Answer): Pick<TestAnswer, 'code' | 'body'> {
  switch (answer.type) {
    case 'status':
      return { code: answer.status.code, body: answer.status as unknown as TestAnswer['body'] };
    case 'object': {
      const { code, object } = answer;
      return { code, body: ('object' in object ? object.object : object) as unknown as TestAnswer['body'] };
    }
    case 'bytes':
      return { code: answer.code, body: JSON.parse(String(answer.body)) as TestAnswer['body'] };
    default:
      throw new Error(`Cannot read an answer of type "${answer.type}"`);
  }
}
