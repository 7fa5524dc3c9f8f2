import { parseRuntimeConfig } from '../../src/api/index.ts';
import { type EncodedAnswer, inProcessCall } from '../../src/apiserver/index.ts';
import { CryptoRandom, LineLogger, RealClock } from '../../src/base/index.ts';
import { type ControlPlane, startControlPlane } from '../../src/cluster/index.ts';

export interface HostileRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What a request cost the process. */
export interface Cost {
  readonly code: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly answer: Buffer;
  /** Of all threads: collecting garbage counts. */
  readonly cpuMs: number;
  /** By which the process has become larger than it ever was. */
  readonly residentBytes: number;
}

/** As the network does: others have their turn between two pieces. */
async function read(body: EncodedAnswer['body']): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    pieces.push(piece);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return Buffer.concat(pieces);
}

/** A control plane without sockets, whose requests are measured one by one. */
export class MeasuredServer implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly problems: readonly string[];
  readonly #stop: AbortController;
  readonly #clock = new RealClock();

  private constructor(plane: ControlPlane, problems: readonly string[], stop: AbortController) {
    this.plane = plane;
    this.problems = problems;
    this.#stop = stop;
  }

  static async start(): Promise<MeasuredServer> {
    const stop = new AbortController();
    const problems: string[] = [];
    const clock = new RealClock();
    const plane = await startControlPlane({
      name: 'test',
      storage: { type: 'memory' },
      runtimeConfig: parseRuntimeConfig('api/all=true'),
      admission: { disable: ['ServiceAccount'] }, // no controller makes accounts
      serviceCidrs: ['10.96.0.0/16'],
      random: new CryptoRandom(),
      log: new LineLogger({ clock, level: 'warn', write: (line) => problems.push(line) }),
      signal: stop.signal,
      clock,
    });
    return new MeasuredServer(plane, problems, stop);
  }

  async measure(request: HostileRequest): Promise<Cost> {
    const { name: _, body = '', headers = {}, ...rest } = request;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const call = inProcessCall({
      ...rest,
      headers: { 'content-type': 'application/json', 'user-agent': 'test', ...headers },
      body: bytes,
      certificate: { commonName: 'admin', organizations: ['system:masters'] },
      clock: this.#clock,
    });
    const { maxRSS } = process.resourceUsage();
    const before = process.cpuUsage();
    const encoded = await this.plane.server.handle(call);
    const answer = await read(encoded.body);
    call.finish({ code: encoded.code, bytes: answer.length, outcome: 'complete' });
    const { user, system } = process.cpuUsage(before);
    const headerBytes = Object.values(headers).reduce((sum, value) => sum + value.length, 0);
    return {
      code: encoded.code,
      requestBytes: bytes.length + request.path.length + headerBytes,
      answerBytes: answer.length,
      answer,
      cpuMs: (user + system) / 1000,
      residentBytes: (process.resourceUsage().maxRSS - maxRSS) * 1024,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.plane[Symbol.asyncDispose]();
  }
}
