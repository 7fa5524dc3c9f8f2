import {
  type ApiObject,
  badRequest,
  conflict,
  notFound,
  OBJECT_MODIFIED,
  pathSegmentNameProblems,
  quoteGo,
} from '../../api/index.ts';
import type { WriteContext } from '../../apiserver/index.ts';
import { arrange } from '../arrange.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Kind } from '../kind.ts';
import { boundPod, checkBinding, created } from './pod-binding.ts';

const PODS = { group: '', resource: 'pods' };
const RETRIES = 20;

function ensureName(name: string): void {
  if (name === '') throw badRequest('Name parameter required.');
  const problems = pathSegmentNameProblems(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quoteGo(name)}: ${problems.join(';')}`);
}

/** Posting a Binding binds a pod to a node: the deprecated equivalent of the pod's `binding` subresource. */
export function bindings(environment: KindEnvironment): Kind {
  const pods = environment.objects.of('', 'pods');
  const podType = environment.types.struct('io.k8s.api.core.v1.Pod');

  async function bind(binding: ApiObject, context: WriteContext): Promise<ApiObject> {
    const { namespace = '', name = '' } = binding.metadata;
    ensureName(name);
    for (let tries = 0; tries < RETRIES; tries++) {
      const found = await pods.newest(namespace, name);
      if (found === undefined) throw notFound(PODS, name);
      const pod = boundPod(found, binding, context);
      arrange(pod, podType);
      if (context.dryRun || (await pods.replace(pods.keyOf(namespace, name), found, pod))) return created();
    }
    throw conflict(PODS, name, OBJECT_MODIFIED);
  }

  return {
    group: '',
    plural: 'bindings',
    computed: { check: (binding) => checkBinding(binding, binding.metadata.name ?? ''), create: bind },
  };
}
