import { type Clock, messageOf } from '../../base/index.ts';
import { keyOf, type Pod } from '../../client/index.ts';
import type { EventRecorder } from '../../kit/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { Placement, PodScheduler } from '../cycle/schedule-pod.ts';
import type { Cycle } from '../framework/cycle.ts';
import type { Extender } from '../framework/extender.ts';
import { FitError } from '../framework/fit-error.ts';
import type { PluginFactory } from '../framework/plugin-context.ts';
import type { Plugin } from '../framework/plugin.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import { bestNodes, cut, rejectionsOf } from './attempt-findings.ts';
import type { ExtenderCall, SchedulingAttempt } from './scheduling-attempt.ts';
import type { SchedulingAttempts } from './scheduling-attempts.ts';

/**
 * Maximum number of extender calls recorded per attempt. An extender has four verbs, may be called twice for a
 * nominated node, and again by preemption.
 */
const MAX_CALLS = 20;

/** What is recorded during an attempt. */
interface Notes {
  nodes: readonly NodeInfo[];
  readonly scores: Map<string, Float64Array>;
  readonly calls: ExtenderCall[];
}

interface Observable {
  readonly plugins?: ReadonlyMap<string, PluginFactory>;
  readonly extenders?: readonly Extender[];
}

type Scheduling = Pick<PodScheduler, 'schedule'>;

/**
 * Records what each plugin and extender decides about each pod, by wrapping them, so that an unobserved scheduler has
 * no overhead.
 */
export class ObservedScheduling {
  readonly #attempts: SchedulingAttempts;
  readonly #clock: Clock;
  /** By uid of the pod being scheduled. */
  readonly #notes = new Map<string, Notes>();
  readonly #observed = new WeakSet<Plugin>();
  /** Reusable score buffers by plugin. */
  readonly #room = new Map<string, Float64Array>();

  constructor(attempts: SchedulingAttempts, clock: Clock) {
    this.#attempts = attempts;
    this.#clock = clock;
  }

  /** The options with plugins and extenders wrapped. */
  options<T extends Observable>(options: T): T {
    return {
      ...options,
      plugins: this.#plugins(new Map([...builtInPlugins, ...(options.plugins ?? [])])),
      extenders: (options.extenders ?? []).map((extender) => this.#extender(extender)),
    };
  }

  /** Records normalized scores and the nodes they belong to. */
  #plugins(factories: ReadonlyMap<string, PluginFactory>): ReadonlyMap<string, PluginFactory> {
    return new Map(Array.from(factories, ([name, factory]) => [name, (context) => this.#plugin(factory(context))]));
  }

  #plugin(plugin: Plugin): Plugin {
    if (plugin.score === undefined || Object.isFrozen(plugin) || this.#observed.has(plugin)) return plugin;
    this.#observed.add(plugin);
    const { name, preScore, normalizeScore } = plugin;
    const noteScores = ({ pod }: Cycle, scores: Float64Array): void =>
      void this.#notes.get(pod.uid)?.scores.set(name, this.#copy(name, scores));
    return Object.assign(plugin, {
      normalizeScore: (...args: Parameters<NonNullable<Plugin['normalizeScore']>>) => {
        normalizeScore?.apply(plugin, args);
        noteScores(args[0], args[1]);
      },
      ...(preScore === undefined
        ? {}
        : {
            preScore: (...args: Parameters<typeof preScore>) => {
              const notes = this.#notes.get(args[0].pod.uid);
              if (notes !== undefined) notes.nodes = args[1];
              return preScore.apply(plugin, args);
            },
          }),
    });
  }

  /** Copies into a buffer that the next attempt reuses: pods are scheduled one at a time. */
  #copy(plugin: string, scores: Float64Array): Float64Array {
    let room = this.#room.get(plugin);
    if (room === undefined || room.length < scores.length)
      this.#room.set(plugin, (room = new Float64Array(scores.length * 2)));
    room.set(scores);
    return room.subarray(0, scores.length);
  }

  #extender(extender: Extender): Extender {
    const { filter, prioritize, preempt, bind } = extender;
    return {
      ...extender,
      ...(filter === undefined
        ? {}
        : {
            filter: (pod, nodes, options) =>
              this.#call(extender, pod, {
                verb: 'filter',
                answer: filter.call(extender, pod, nodes, options),
                outcome: (verdict) => `${verdict.nodes.length} of ${nodes.length} nodes`,
              }),
          }),
      ...(prioritize === undefined
        ? {}
        : {
            prioritize: (pod, nodes, options) =>
              this.#call(extender, pod, {
                verb: 'prioritize',
                answer: prioritize.call(extender, pod, nodes, options),
                outcome: (scores) => `${scores.size} scores`,
              }),
          }),
      ...(preempt === undefined
        ? {}
        : {
            preempt: (pod, victims, options) =>
              this.#call(extender, pod, {
                verb: 'preempt',
                answer: preempt.call(extender, pod, victims, options),
                outcome: (left) => `${left.size} of ${victims.size} nodes`,
              }),
          }),
      ...(bind === undefined
        ? {}
        : {
            bind: (pod, nodeName, options) =>
              this.#call(extender, pod, {
                verb: 'bind',
                answer: bind.call(extender, pod, nodeName, options),
                outcome: () => `bound to ${nodeName}`,
              }),
          }),
    };
  }

  async #call<T>(
    { name }: Extender,
    { uid }: PodInfo,
    { verb, answer, outcome }: { verb: string; answer: Promise<T>; outcome: (result: T) => string },
  ): Promise<T> {
    const startMs = this.#clock.monotonic();
    const note = (text: string): void => {
      const calls = this.#notes.get(uid)?.calls;
      if (calls === undefined || calls.length >= MAX_CALLS) return;
      calls.push({ extender: name, verb, durationMs: this.#clock.monotonic() - startMs, outcome: cut(text) });
    };
    try {
      const result = await answer;
      note(outcome(result));
      return result;
    } catch (error) {
      note(messageOf(error));
      throw error;
    }
  }

  /** Wraps the recorder: events report what happened after the node was chosen. */
  recorder(recorder: EventRecorder): EventRecorder {
    return {
      event: (about, details) => {
        recorder.event(about, details);
        if (about.kind === 'Pod') this.#attempts.conclude(keyOf(about as Pod), `${details.reason}: ${details.message}`);
      },
    };
  }

  scheduler(scheduler: Scheduling, snapshot: Snapshot): Scheduling {
    return {
      schedule: (framework, cycle, options) => {
        const startMs = this.#clock.monotonic();
        const timeMs = this.#clock.now();
        const notes: Notes = { nodes: [], scores: new Map(), calls: [] };
        this.#notes.set(cycle.pod.uid, notes);
        const done = (ending: Partial<SchedulingAttempt>): void => {
          this.#notes.delete(cycle.pod.uid);
          this.#attempts.add(cycle.pod.key, {
            timeMs,
            schedulerName: framework.schedulerName,
            durationMs: this.#clock.monotonic() - startMs,
            best: bestNodes(notes.nodes, notes.scores, (plugin) => framework.weightOf(plugin)),
            extenders: notes.calls,
            ending,
          });
        };
        const found = ({ nodeName: node, evaluatedNodes, feasibleNodes }: Placement): void =>
          done({ node, evaluatedNodes, feasibleNodes });
        const failed = (error: unknown): void =>
          done({
            message: cut(messageOf(error)),
            rejections: error instanceof FitError ? rejectionsOf(error.diagnosis, snapshot.nodes.length) : [],
          });
        return watched(() => scheduler.schedule(framework, cycle, options), { found, failed });
      },
    };
  }
}

/** Calls back with the outcome of a function that may return, throw or be asynchronous. */
function watched<T>(
  act: () => T | Promise<T>,
  { found, failed }: { found: (result: T) => void; failed: (error: unknown) => void },
): T | Promise<T> {
  const onFailure = (error: unknown): never => {
    failed(error);
    throw error;
  };
  const onResult = (result: T): T => {
    found(result);
    return result;
  };
  let result: T | Promise<T>;
  try {
    result = act();
  } catch (error) {
    return onFailure(error);
  }
  return result instanceof Promise ? result.then(onResult, onFailure) : onResult(result);
}
