import { messageOf, type Clock } from '../../base/index.ts';
import type { Authorizer } from '../access/authorizer.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import { requestInfo } from '../request/request-info.ts';
import type { Next, Stage } from '../stages/stage.ts';
import { RecentRequests, type RequestHead } from './recent-requests.ts';
import { RequestTrace } from './request-trace.ts';

/** A request with this header is traced; its answer has the trace's id in a header of the same name. */
export const TRACE_HEADER = 'keelson-trace';
/** Where traces are served; a user who may get this path may request traces. */
export const TRACES_PATH = '/keelson/requests';

/** How many requested traces are kept when other requests are not traced. */
const MAX_REQUESTED_TRACES = 100;

export interface TraceOptions {
  /** How many recent requests are kept: writes, and requests that were refused. 0 keeps only those that ask for a trace. */
  readonly keep: number;
  readonly clock: Clock;
  readonly authorizer: Authorizer;
}

/** Records what stages, plugins, webhooks and policies do with requests, and keeps it for the most recent ones. */
export class RequestTraces {
  readonly recent: RecentRequests;
  /** The run of a controller in this process that the current code belongs to, where these are tracked. */
  currentRun: () => number | undefined = () => undefined;
  readonly #options: TraceOptions;
  readonly #isAlwaysOn: boolean;

  constructor(options: TraceOptions) {
    this.#options = options;
    this.#isAlwaysOn = options.keep > 0;
    this.recent = new RecentRequests(options.keep || MAX_REQUESTED_TRACES, options.clock);
  }

  /** The outermost stage; requests that are not traced pass unchanged. */
  readonly stage: Stage = (call, next) => {
    const asks = call.request.header(TRACE_HEADER) !== undefined;
    if (!asks && (!this.#isAlwaysOn || call.request.path.startsWith(TRACES_PATH))) return next(call);
    return this.#keep(call, next, asks);
  };

  async #keep(call: Call, next: Next, asks: boolean): Promise<EncodedAnswer> {
    const trace = new RequestTrace(this.#options.clock);
    call.record.trace = trace;
    const answer = await next(call);
    if (asks && (await this.#mayTrace(call))) {
      const id = this.recent.add(this.#describe(call, trace, answer.code), trace);
      return { ...answer, headers: { ...answer.headers, [TRACE_HEADER]: id } };
    }
    const isRead = call.request.method === 'GET' || call.request.method === 'HEAD';
    if (this.#isAlwaysOn && !(isRead && answer.code < 400))
      this.recent.add(this.#describe(call, trace, answer.code), trace);
    return answer;
  }

  #describe(call: Call, trace: RequestTrace, code: number): RequestHead {
    const run = this.currentRun();
    return { ...describe(call, trace, code), ...(run === undefined ? {} : { run }) };
  }

  async #mayTrace({ principal: { user }, request: { signal } }: Call): Promise<boolean> {
    const info = requestInfo('GET', TRACES_PATH, { isWatch: false, nameFromField: '' });
    return (await this.#options.authorizer.authorize({ user, info, signal })).verdict === 'allow';
  }
}

/** Wraps a stage to record its step: passed when it calls `next`, refused when it answers or throws. */
export function traced(name: string, stage: Stage): Stage {
  return (call, next) => {
    const { trace } = call.record;
    if (trace === undefined) return stage(call, next);
    const step = trace.begin(name);
    let isOpen = true;
    const end = (decision?: string, reason?: string): void => {
      if (isOpen) step.end(decision, reason);
      isOpen = false;
    };
    trace.stage = step;
    return settled(
      () =>
        stage(call, (passed) => {
          end();
          return next(passed);
        }),
      (error) => (error === undefined ? end('refused') : end('refused', messageOf(error))),
    );
  };
}

async function settled(run: () => ReturnType<Stage>, over: (error?: unknown) => void): Promise<EncodedAnswer> {
  try {
    const answer = await run();
    over();
    return answer;
  } catch (error) {
    over(error);
    throw error;
  }
}

/** Subresources whose query and remaining path are for a program behind the server, and may contain secrets. */
const CONNECTIONS: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward']);
const MAX_PATH = 2048;
const MAX_WARNINGS = 20;

function describe(call: Call, trace: RequestTrace, code: number): RequestHead {
  const { method } = call.request;
  const { user } = call.principal;
  const { warnings, receivedAt } = call.record;
  return {
    auditId: call.record.auditId,
    receivedAt,
    method,
    path: shownPath(call).slice(0, MAX_PATH),
    user: user.name,
    userAgent: (call.request.header('user-agent') ?? '').slice(0, MAX_PATH),
    code,
    ...(warnings.texts.length === 0 || trace.isConfidential ? {} : { warnings: warnings.texts.slice(0, MAX_WARNINGS) }),
  };
}

function shownPath({ request: { path, query }, info }: Call): string {
  if (!CONNECTIONS.has(info.subresource)) return query.text === '' ? path : `${path}?${query.text}`;
  const connection = `/${info.name}/${info.subresource}`;
  return path.slice(0, path.indexOf(connection) + connection.length);
}
