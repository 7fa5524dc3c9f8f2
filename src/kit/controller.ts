import { type DeepReadonly, runTogether } from '../base/index.ts';
import { ItemBackoff, type Kind, type KubernetesObject } from '../client/index.ts';
import type { AnyControllerOptions, ControllerOptions, StatusOf, Watch } from './controller-options.ts';
import type { AppContext, Part, PreparedPart } from './part.ts';
import type { ProgramPart } from './program-part.ts';
import { type AccessNeed, readNeed, writeNeed } from './rbac/access-need.ts';
import { ChangeHandlers } from './reconcile/change-handlers.ts';
import { DeclaredKinds } from './reconcile/declared-kinds.ts';
import { Departures } from './reconcile/departures.ts';
import { DeparturesAtStart } from './reconcile/departures-at-start.ts';
import { ReconcileRun } from './reconcile/reconcile-run.ts';
import type { RunParts } from './reconcile/run-parts.ts';
import { EchoFilter } from './work/echo-filter.ts';
import type { AddKeyOptions } from './work/keyed-workers.ts';

/** A controller, to be run by an app. */
export interface Controller extends Part {
  readonly kind: Kind;
}

/**
 * A controller for the objects of a kind.
 *
 * Guarantees: one run at a time for each object, `concurrency` for all; a run that fails is retried with growing delays; an
 * object that changes during a run gets another run.
 */
export function controller<
  T extends KubernetesObject,
  const Status extends DeepReadonly<StatusOf<T>> = never,
  Owned extends Kind = never,
  Read extends Kind = never,
  Watched extends Watch = never,
>(kind: Kind<T>, options: ControllerOptions<T, Status, Owned, Read, Watched>): Controller {
  const made: Controller & ProgramPart = {
    name: options.name ?? kind.plural,
    kind,
    needs: needsOf(kind, options),
    sleepsWithout: [kind],
    prepare: (context) => prepare(kind, options, context),
  };
  return made;
}

const EVENTS: AccessNeed = { group: '', resource: 'events', verbs: ['create', 'patch'] };

function needsOf<T extends KubernetesObject>(kind: Kind<T>, options: AnyControllerOptions<T>): readonly AccessNeed[] {
  const { owns = [], reads = [], watches = [], finalize } = options;
  return [
    ...[kind, ...reads, ...watches.map((watch) => watch.kind)].map(readNeed),
    writeNeed(kind, ['patch'], 'status'),
    ...(finalize === undefined ? [] : [writeNeed(kind, ['patch'])]),
    ...(owns.length === 0 ? [] : [writeNeed(kind, ['update'], 'finalizers')]), // children block their owner's deletion
    ...owns.flatMap((child) => [readNeed(child), writeNeed(child, ['create', 'patch', 'delete'])]),
    EVENTS,
  ];
}

/** Starts a controller: changes are mapped to the objects that they concern, and workers reconcile these. */
function prepare<T extends KubernetesObject>(
  kind: Kind<T>,
  options: AnyControllerOptions<T>,
  app: AppContext,
): PreparedPart {
  const {
    name = kind.plural,
    queueName = name,
    finalizer = `${kind.group === '' ? name : kind.group}/${name}`,
    concurrency = 1,
  } = options;
  const parts: RunParts<T> = {
    name,
    kind,
    options,
    finalizer,
    app,
    own: app.objects(kind, options.where),
    declared: new DeclaredKinds(kind, options, { name, context: app }),
    recorder: app.events(options.component ?? app.component),
    departures: new Departures(options),
    echoes: new EchoFilter(),
    statements: new Map(),
    rivals: new Map(),
  };
  const workers = app.workers(name, {
    queueName,
    concurrency,
    rateLimiter: new ItemBackoff(),
    isCoalescing: true,
    work: (key, context) => new ReconcileRun(key, parts, context).run(),
  });
  const add = (key: string, added: AddKeyOptions): void => workers.add(key, added);
  new ChangeHandlers(parts, add).listen();
  if (!parts.departures.canLeaveSight) return workers;
  const atStart = new DeparturesAtStart(parts, add);
  return {
    run: (signal) => runTogether([workers, atStart], signal),
    get isIdle() {
      return atStart.isIdle;
    },
  };
}
