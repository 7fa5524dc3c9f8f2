import { ItemBackoff, type Kind, type KubernetesObject } from '../../client/index.ts';
import type { ControllerOptions } from '../controller-options.ts';
import type { AppContext, PreparedPart } from '../part.ts';
import { EchoFilter } from '../work/echo-filter.ts';
import { ChangeHandlers } from './change-handlers.ts';
import { DeclaredKinds } from './declared-kinds.ts';
import { ReconcileRun, type RunParts } from './reconcile-run.ts';

/** A controller at work: changes lead to the objects that they concern, and workers reconcile these. */
export function prepareController<T extends KubernetesObject>(
  kind: Kind<T>,
  options: ControllerOptions<T>,
  app: AppContext,
): PreparedPart {
  const {
    name = kind.plural,
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
    echoes: new EchoFilter(),
    said: new Map(),
  };
  const workers = app.workers(name, {
    concurrency,
    rateLimiter: new ItemBackoff(),
    isCoalescing: true,
    work: (key, context) => new ReconcileRun(key, parts, context).run(),
  });
  new ChangeHandlers(parts, (key, added) => workers.add(key, added)).listen();
  return workers;
}
