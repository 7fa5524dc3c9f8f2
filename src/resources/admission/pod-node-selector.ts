import { forbidden, internalError, StatusError } from '../../api/index.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { withEntries } from '../object-meta.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { labelsOfSelector, readNodeSelectors } from './configuration/node-selectors.ts';
import { isNewPod, podOf, setPodSpec } from './written-pod.ts';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

type Labels = Readonly<Record<string, string>>;

/** Restricts pods to the nodes that an annotation of their namespace, or the cluster's default, selects. */
export function podNodeSelector({ objects }: Pick<AdmissionParts, 'objects'>, configuration?: string): AdmissionPlugin {
  const namespaces = objects.of<Namespace>('', 'namespaces');
  const selectors = readNodeSelectors(configuration);

  async function selectorOf(namespace: string): Promise<Labels> {
    const found = (await namespaces.get('', namespace)) ?? (await namespaces.newest('', namespace));
    if (found === undefined) throw internalError(new Error(`namespace ${namespace} does not exist`));
    return readLabels(found.metadata?.annotations?.[ANNOTATION] ?? selectors[CLUSTER_DEFAULT] ?? '');
  }

  function check(request: AdmissionAttributes, wanted: Labels): void {
    const { metadata, spec } = podOf(request);
    const stated = spec.nodeSelector ?? {};
    const refuse = (why: string): StatusError => forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', why);
    if (Object.entries(wanted).some(([key, value]) => Object.hasOwn(stated, key) && stated[key] !== value))
      throw refuse('pod node label selector conflicts with its namespace node label selector');
    const allowed = readLabels(selectors[request.namespace] ?? '');
    if (Object.keys(allowed).length === 0) return;
    if (Object.entries(stated).some(([key, value]) => allowed[key] !== value))
      throw refuse('pod node label selector labels conflict with its namespace whitelist');
  }

  return {
    name: 'PodNodeSelector',
    handles: isNewPod,
    async mutate(request) {
      const wanted = await selectorOf(request.namespace);
      const { spec } = podOf(request);
      const merged = withEntries(wanted, spec.nodeSelector ?? {});
      if (Object.keys(merged).length > 0) setPodSpec(request, { ...spec, nodeSelector: merged });
      check(request, wanted);
    },
    async validate(request) {
      check(request, await selectorOf(request.namespace));
    },
  };
}

/** Selectors are parsed when used, so that a malformed one fails the requests that use it. */
function readLabels(selector: string): Labels {
  try {
    return labelsOfSelector(selector);
  } catch (cause) {
    throw new StatusError({ code: 500, message: messageOf(cause) }, { cause }); // an untyped error upstream
  }
}
