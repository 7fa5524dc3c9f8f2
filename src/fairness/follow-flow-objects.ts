import { formatTime, instantOfMillis } from '../api/index.ts';
import type { FlowSchema, FlowSchemaCondition, PriorityLevelConfiguration } from '../api/types/flowcontrol/v1.d.ts';
import type { SelfClient, ServerObjects } from '../apiserver/index.ts';
import { type Clock, deepEqual, type Logger, type Random, sleepAs } from '../base/index.ts';
import { GROUP, ROOT } from './bootstrap/ensure-flow-objects.ts';
import type { FlowControl } from './flow-control.ts';

export interface FollowOptions {
  readonly control: FlowControl;
  readonly objects: ServerObjects;
  readonly self: SelfClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const WRITER = { fieldManager: 'api-priority-and-fairness-config-consumer-v1' };
/** How often seats are moved between levels. */
const ADJUST_EVERY_MS = 10_000;
const ADJUSTMENT = { type: 'beat', name: 'seats of priority levels', periodMs: ADJUST_EVERY_MS } as const;

/**
 * Applies the flow schemas and priority levels in the store, reports in the status which schemas refer to a missing
 * level, and lets levels borrow.
 */
export function followFlowObjects(options: FollowOptions): void {
  const follower = new FlowObjectFollower(options);
  void follower.run();
}

class FlowObjectFollower {
  readonly #options: FollowOptions;
  readonly #budget: UpdateBudget;
  readonly #levels = new Map<string, PriorityLevelConfiguration>();
  readonly #schemas = new Map<string, FlowSchema>();
  readonly #beingWritten = new Set<string>();
  #isDue = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#budget = new UpdateBudget(options.clock);
  }

  async run(): Promise<void> {
    const { objects, control, clock, signal } = this.#options;
    using _levels = objects
      .of<PriorityLevelConfiguration>(GROUP, 'prioritylevelconfigurations')
      .onChange(({ current, previous }) => this.#take(this.#levels, current, previous));
    using _schemas = objects
      .of<FlowSchema>(GROUP, 'flowschemas')
      .onChange(({ current, previous }) => this.#take(this.#schemas, current, previous));
    while (!signal.aborted) {
      await sleepAs(clock, ADJUST_EVERY_MS, { signal, role: ADJUSTMENT });
      control.adjust();
    }
  }

  /** Changes that arrive together are applied together. */
  #take<T extends FlowSchema | PriorityLevelConfiguration>(
    known: Map<string, T>,
    current: T | undefined,
    previous: T | undefined,
  ): void {
    const name = (current ?? previous)?.metadata?.name ?? '';
    if (current === undefined) known.delete(name);
    else known.set(name, current);
    const isSame = deepEqual(current?.spec, previous?.spec) && current?.metadata?.uid === previous?.metadata?.uid;
    if (isSame) {
      this.#writeStatus(name);
      return;
    }
    if (current === undefined) this.#budget.forget(name);
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#configure());
  }

  #configure(): void {
    this.#isDue = false;
    if (this.#options.signal.aborted) return;
    this.#options.control.configure([...this.#levels.values()], [...this.#schemas.values()]);
    for (const name of this.#schemas.keys()) this.#writeStatus(name);
  }

  /** Writes the schema's status, unless it is right already or being written. */
  #writeStatus(name: string): void {
    const schema = this.#schemas.get(name);
    if (schema === undefined || this.#beingWritten.has(name)) return;
    const wanted = this.#conditionOf(schema);
    const current = schema.status?.conditions?.find(({ type }) => type === wanted.type);
    const isUpToDate =
      current?.status === wanted.status && current?.reason === wanted.reason && current?.message === wanted.message;
    if (!isUpToDate) void this.#write(name, wanted);
  }

  async #write(name: string, condition: FlowSchemaCondition): Promise<void> {
    const { self, clock, random, log, signal } = this.#options;
    this.#beingWritten.add(name);
    if (!this.#budget.take(name)) {
      await clock.sleep((30 + random.float() * 45) * 1000, signal); // another server may disagree
    } else {
      try {
        const object = {
          apiVersion: `${GROUP}/v1`,
          kind: 'FlowSchema',
          metadata: { name },
          status: { conditions: [condition] },
        };
        await self.apply(`${ROOT}/flowschemas/${name}/status`, object, WRITER);
      } catch (error) {
        if (!signal.aborted) log.warn('status of a flow schema cannot be written', { name, error });
        await clock.sleep(1000, signal);
      }
    }
    this.#beingWritten.delete(name);
    if (!signal.aborted) this.#writeStatus(name); // it may have changed in the meantime
  }

  #conditionOf({ spec }: FlowSchema): FlowSchemaCondition {
    const { clock, control } = this.#options;
    const level = spec?.priorityLevelConfiguration.name ?? '';
    const isThere = this.#levels.has(level) && control.hasLevel(level);
    const referred = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
    return {
      type: 'Dangling',
      status: isThere ? 'False' : 'True',
      reason: isThere ? 'Found' : 'NotFound',
      message: isThere ? `${referred} and it exists` : `${referred} but there is no such object`,
      lastTransitionTime: formatTime(instantOfMillis(clock.now())),
    };
  }
}

const PERIOD_MS = 60_000;
const UPDATES = 6;

/** Lets the same object be written six times a minute, so that servers that disagree do not undo each other's writes without end. */
class UpdateBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Times of the last updates, oldest first. */
  readonly #updates = new Map<string, number[]>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** False when the object has been written often enough for now. */
  take(name: string): boolean {
    const now = this.#clock.monotonic();
    const times = (this.#updates.get(name) ?? []).filter((time) => now - time < PERIOD_MS);
    if (times.length >= UPDATES) return false;
    this.#updates.set(name, [...times, now]);
    return true;
  }

  /** The object is gone. */
  forget(name: string): void {
    this.#updates.delete(name);
  }
}
