import { CATCH_ALL, EXEMPT, MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../api/meaning/index.ts';
import type { FlowSchema, PolicyRulesWithSubjects, PriorityLevelConfiguration } from '../api/types/flowcontrol/v1.d.ts';
import type { RequestInfo, UserInfo } from '../apiserver/index.ts';
import { type Clock, compareUtf8 } from '../base/index.ts';
import { SchemaIndex } from './classification/schema-index.ts';
import { PriorityLevel } from './levels/priority-level.ts';
import { shareAmongLevels } from './levels/share-among-levels.ts';
import type { FlowMetrics } from './metrics/flow-metrics.ts';
import type { FlowRecorder } from './metrics/flow-recorder.ts';
import { modeOf } from './queues/level-mode.ts';

export interface FlowControlOptions {
  readonly clock: Clock;
  readonly metrics: FlowMetrics;
  /** Seats of all levels together. */
  readonly serverSeats: number;
}

/** A flow schema whose level exists, ready for use. */
export interface ActiveSchema {
  readonly level: PriorityLevel;
  readonly recorder: FlowRecorder;
  readonly rules: readonly PolicyRulesWithSubjects[];
  readonly distinguisher: 'user' | 'namespace' | 'none';
  /** Report the request's schema and level to clients by uid, because names would reveal too much. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A quarter more than all levels together have. */
const EXEMPT_CEILING = 1.25;

/**
 * Which priority level each request belongs to, and how many seats each level has. The mandatory schemas and levels
 * exist even if their objects do not.
 */
export class FlowControl {
  readonly #options: FlowControlOptions;
  readonly #levels = new Map<string, PriorityLevel>();
  #schemas: readonly ActiveSchema[] = [];
  #index = new SchemaIndex<ActiveSchema>([], () => []);
  #fairShare = 0;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.configure([], []);
  }

  get fairShare(): number {
    return this.#fairShare;
  }

  get schemas(): readonly ActiveSchema[] {
    return this.#schemas;
  }

  /** In the order of their names. */
  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((left, right) => compareUtf8(left.name, right.name));
  }

  /** The matching schema with the lowest matchingPrecedence. */
  classify(info: RequestInfo, user: UserInfo): ActiveSchema {
    return this.#index.first(info, user) ?? this.#catchAll(); // no schema matches a user without groups
  }

  /** Uses these objects from now on. Requests in progress stay in their levels. */
  configure(levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): void {
    this.#takeLevels(levels);
    this.#takeSchemas(schemas);
    this.reap();
  }

  /** Removes levels whose objects are gone and that have no more requests, and shares their seats again. */
  reap(): void {
    for (const [name, level] of this.#levels) if (level.isQuiescing && level.queues.isIdle) this.#levels.delete(name);
    const { serverSeats } = this.#options;
    const levels = [...this.#levels.values()];
    const shares = levels.reduce((sum, level) => sum + level.shares, 0);
    for (const level of levels) level.entitle(serverSeats, shares);
    this.adjust();
  }

  /** Moves seats to the levels that need them; called periodically. */
  adjust(): void {
    this.#fairShare = shareAmongLevels([...this.#levels.values()], this.#options.serverSeats);
  }

  /** Whether there is a usable level of this name for schemas to refer to. */
  hasLevel(name: string): boolean {
    return this.#levels.get(name)?.isQuiescing === false;
  }

  #catchAll(): ActiveSchema {
    const found = this.#schemas.find(({ recorder }) => recorder.schema === CATCH_ALL);
    if (found === undefined) throw new Error('Unreachable: the catch-all schema is always there');
    return found;
  }

  #takeLevels(configurations: readonly PriorityLevelConfiguration[]): void {
    const { clock, metrics, serverSeats } = this.#options;
    const wanted = new Map<string, PriorityLevelConfiguration>();
    for (const [name, spec] of Object.entries(MANDATORY_PRIORITY_LEVELS)) wanted.set(name, withName(name, spec));
    for (const configuration of configurations) wanted.set(configuration.metadata?.name ?? '', configuration);
    for (const level of this.#levels.values()) level.isQuiescing = true;
    for (const [name, configuration] of wanted) {
      const mode = modeOf(configuration, Math.ceil(serverSeats * EXEMPT_CEILING));
      if (mode === undefined) continue;
      const level =
        this.#levels.get(name) ?? new PriorityLevel(configuration, mode, { families: metrics.levels, clock });
      Object.assign(level, { configuration, mode, isQuiescing: false });
      this.#levels.set(name, level);
    }
  }

  #takeSchemas(objects: readonly FlowSchema[]): void {
    const isUsable = ({ spec }: FlowSchema): boolean => this.hasLevel(spec?.priorityLevelConfiguration.name ?? '');
    const sorted = objects.filter(isUsable).sort(byPrecedence);
    const has = (name: string): boolean => sorted.some(({ metadata }) => metadata?.name === name);
    const mandatory = (name: string): FlowSchema[] => {
      const spec = MANDATORY_FLOW_SCHEMAS[name];
      return spec === undefined || has(name) ? [] : [withName(name, spec)];
    };
    const all = [...mandatory(EXEMPT), ...sorted, ...mandatory(CATCH_ALL)];
    this.#schemas = all.flatMap((object) => this.#activate(object));
    this.#index = new SchemaIndex(this.#schemas, ({ rules }) => rules);
    this.#options.metrics.keepOnly(this.#schemas.map(({ recorder }) => recorder));
  }

  #activate({ metadata, spec }: FlowSchema): ActiveSchema[] {
    const level = this.#levels.get(spec?.priorityLevelConfiguration.name ?? '');
    if (level === undefined) return [];
    const method = spec?.distinguisherMethod?.type;
    const isSplit = level.mode.type === 'queue' && level.mode.queues > 1;
    return [
      {
        level,
        recorder: this.#options.metrics.recorderOf(level.name, metadata?.name ?? ''),
        rules: spec?.rules ?? [],
        distinguisher: !isSplit || method === undefined ? 'none' : method === 'ByUser' ? 'user' : 'namespace',
        headers: {
          'x-kubernetes-pf-flowschema-uid': metadata?.uid ?? '',
          'x-kubernetes-pf-prioritylevel-uid': level.configuration.metadata?.uid ?? '',
        },
      },
    ];
  }
}

function withName<Spec>(name: string, spec: Spec): { metadata: { name: string }; spec: Spec } {
  return { metadata: { name }, spec };
}

function byPrecedence(left: FlowSchema, right: FlowSchema): number {
  const difference = (left.spec?.matchingPrecedence ?? 0) - (right.spec?.matchingPrecedence ?? 0);
  return difference || compareUtf8(left.metadata?.name ?? '', right.metadata?.name ?? '');
}
