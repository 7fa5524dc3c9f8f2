import { type ApiObject, notFound, StatusError } from '../../api/index.ts';
import { Turns } from '../../base/index.ts';
import type { AdmissionAttributes, Resource, TraceStep } from '../../apiserver/index.ts';
import type { BoundPolicy } from './bound-policies.ts';
import { findParams, paramResource, PolicyProblem } from './policy-params.ts';
import type { Policy, PolicyBinding, PolicySources } from './policy-sources.ts';

/** What to do for a request: evaluate a policy with one set of parameters, or report that it cannot be evaluated. */
export type Invocation<P, B> =
  | {
      readonly type: 'evaluate';
      readonly policy: P;
      readonly binding: B;
      /** The version that the policy wants to see. */
      readonly resource: Resource;
      readonly params: ApiObject | null;
    }
  /** Without a binding when the policy itself is at fault. */
  | { readonly type: 'problem'; readonly policy: P; readonly binding: B | undefined; readonly message: string };

/** All invocations of the policies for one request, in order, including configuration problems. */
export async function invocationsFor<P extends Policy, B extends PolicyBinding>(
  attributes: AdmissionAttributes,
  candidates: readonly BoundPolicy<P, B>[],
  sources: PolicySources,
): Promise<readonly Invocation<P, B>[]> {
  const found: Invocation<P, B>[] = [];
  for (const bound of candidates) await collect(attributes, { bound, sources, found });
  return found;
}

interface Collecting<P, B> {
  readonly bound: BoundPolicy<P, B>;
  readonly sources: PolicySources;
  readonly found: Invocation<P, B>[];
}

async function collect<P extends Policy, B extends PolicyBinding>(
  attributes: AdmissionAttributes,
  { bound, sources, found }: Collecting<P, B>,
): Promise<void> {
  const { policy } = bound;
  const attempt = async (binding: B | undefined, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PolicyProblem || error instanceof StatusError)) throw error;
      const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${error.message}`;
      found.push({ type: 'problem', policy, binding, message });
    }
  };
  await attempt(undefined, async () => {
    const resource = await bound.matcher.match(attributes);
    if (resource === undefined) return;
    const kindOfParams = paramResource(policy, sources);
    for (const { binding, matcher } of bound.bindings) {
      await attempt(binding, async () => {
        if (matcher !== undefined && (await matcher.match(attributes)) === undefined) return;
        const { paramKind } = policy.spec;
        const { paramRef } = binding.spec;
        const { namespace, signal } = attributes;
        const search = { resource: kindOfParams, paramKind, paramRef, namespace, signal };
        for (const params of await findParams(search, sources)) {
          found.push({ type: 'evaluate', policy, binding, resource, params });
        }
      });
    }
  });
}

const EVALUATIONS_IN_A_ROW = 16;

/** Yields to other requests during a request with very many evaluations. */
export class EvaluationTurns {
  readonly #turns = new Turns();

  /** Call before each evaluation, with the number of evaluations done. */
  async take(done: number, { signal }: AdmissionAttributes): Promise<void> {
    if (done === 0 || done % EVALUATIONS_IN_A_ROW !== 0) return;
    await this.#turns.take(true);
    signal.throwIfAborted();
  }
}

/** The namespace of a request; undefined for cluster-scoped objects, and for Namespaces themselves. */
export async function namespaceOf(
  { namespace, kind }: AdmissionAttributes,
  { objects }: Pick<PolicySources, 'objects'>,
): Promise<ApiObject | undefined> {
  const isNamespace = kind.group === '' && kind.version === 'v1' && kind.kind === 'Namespace';
  if (namespace === '' || isNamespace) return undefined;
  const namespaces = objects.of('', 'namespaces');
  const found = (await namespaces.get('', namespace)) ?? (await namespaces.newest('', namespace));
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return found;
}

/** The policy's step in a request's trace, if it is traced. */
export function beginStep(
  attributes: AdmissionAttributes,
  { policy, binding }: { readonly policy: Policy; readonly binding: PolicyBinding },
): TraceStep | undefined {
  const { step } = attributes;
  return step?.begin(`policy ${policy.metadata.name ?? ''} with binding ${binding.metadata.name ?? ''}`);
}
