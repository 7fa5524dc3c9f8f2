import type { FlowSchema, PriorityLevelConfiguration } from '../../api/types/flowcontrol/v1.d.ts';
import { type EncodedAnswer, inProcessCall, type InProcessCall, type UserInfo } from '../../apiserver/index.ts';
import { MetricRegistry, VirtualClock } from '../../base/index.ts';
import type { ObjectSizes } from '../estimates/object-sizes.ts';
import { FairLimiter } from '../fair-limiter.ts';
import { FlowControl } from '../flow-control.ts';
import { FlowMetrics } from '../metrics/flow-metrics.ts';

const DONE = { code: 200, bytes: 0, outcome: 'complete' } as const;

export const MASTER: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export function userOf(name: string): UserInfo {
  return { name, groups: ['system:authenticated'] };
}

/** A level with this many shares, whose requests wait unless `queues` is 0. */
export function levelOf(
  name: string,
  { shares = 10, queues = 0, handSize = Math.min(queues, 4), queueLengthLimit = 50, ...rest }: LevelShape,
): PriorityLevelConfiguration {
  const limitResponse =
    queues === 0 ? { type: 'Reject' } : { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } };
  return {
    metadata: { name, uid: `uid-of-level-${name}` },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse, ...rest } },
  };
}

interface LevelShape {
  readonly shares?: number;
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

/** A schema of everything that the users ask for. */
export function schemaOf(name: string, level: string, users: readonly string[], precedence = 1000): FlowSchema {
  return {
    metadata: { name, uid: `uid-of-schema-${name}` },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: users.map((user) => ({ kind: 'User', user: { name: user } })),
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
  };
}

/** Requests through the limiter in virtual time; handlers are done at once, and answers are sent when the test says so. */
export class LimitedServer {
  readonly clock = new VirtualClock();
  readonly registry = new MetricRegistry();
  readonly control: FlowControl;
  readonly limiter: FairLimiter;
  /** Calls that have their seats, in the order in which they got them. */
  readonly running: InProcessCall[] = [];
  readonly refused: { readonly call: InProcessCall; readonly answer: EncodedAnswer }[] = [];
  /** What lists find. */
  sizes: ObjectSizes = { count: 0, averageBytes: 0 };

  constructor(serverSeats: number) {
    const { clock } = this;
    const metrics = new FlowMetrics(this.registry, clock);
    this.control = new FlowControl({ clock, metrics, serverSeats });
    metrics.show(this.registry, () => this.control);
    this.limiter = new FairLimiter({
      clock,
      control: this.control,
      metrics,
      serverSeats,
      sizes: { of: () => this.sizes },
      requestTimeoutMs: 60_000,
      encode: (answer) => ({
        code: 'code' in answer ? answer.code : 200,
        headers: 'headers' in answer ? (answer.headers ?? {}) : {},
        body: new Uint8Array(),
        decoded: answer,
      }),
    });
  }

  send(user: UserInfo, method = 'GET', path = '/api/v1/namespaces/a/pods/b'): InProcessCall {
    return this.#handle(inProcessCall({ method, path, user, clock: this.clock }));
  }

  /** A call of the server to itself. */
  sendOwn(): InProcessCall {
    const call = inProcessCall({ method: 'GET', path: '/api/v1/nodes/n', user: MASTER, clock: this.clock });
    call.takesObjects = true;
    return this.#handle(call);
  }

  #handle(call: InProcessCall): InProcessCall {
    const next = async (): Promise<EncodedAnswer> => {
      this.running.push(call);
      return { code: 200, headers: {}, body: new Uint8Array() };
    };
    void this.#note(call, this.limiter.stage(call, next));
    return call;
  }

  async #note(call: InProcessCall, answering: EncodedAnswer | Promise<EncodedAnswer>): Promise<void> {
    const answer = await answering;
    if (answer.code === 429) this.refused.push({ call, answer });
  }

  /** Sends the answers of the running calls, or of the first `count`. */
  async finish(count = this.running.length): Promise<InProcessCall[]> {
    const finished = this.running.splice(0, count);
    for (const call of finished) call.finish(DONE);
    await this.settle();
    return finished;
  }

  async counts(): Promise<{ running: number; refused: number; waiting: number }> {
    await this.settle();
    const { reads, writes } = this.limiter.waiting;
    return { running: this.running.length, refused: this.refused.length, waiting: reads + writes };
  }

  async settle(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
  }
}
