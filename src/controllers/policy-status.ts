import type { ExpressionWarning } from '../api/types/admissionregistration/v1.d.ts';
import { CustomResourceDefinition, type Observed, ValidatingAdmissionPolicy } from '../client/index.ts';
import { type Controller, controller } from '../kit/index.ts';

const FIELD_MANAGER = 'validatingadmissionpolicy-status-controller';

/** Finds type errors in the expressions of a policy. */
export interface CheckPolicyTypes {
  (
    policy: ValidatingAdmissionPolicy,
    definitions: readonly Observed<CustomResourceDefinition>[],
  ): readonly ExpressionWarning[];
  /** Whether it needs the CRDs passed in; a checker in the API server's process knows all kinds. */
  readonly needsDefinitions?: boolean;
}

/** Reports type errors of expressions in the status of ValidatingAdmissionPolicies. */
export function policyStatus(checkTypes: CheckPolicyTypes): Controller {
  return controller(ValidatingAdmissionPolicy, {
    name: 'validatingadmissionpolicy-status',
    concurrency: 5,
    reads: checkTypes.needsDefinitions === true ? [CustomResourceDefinition] : [],
    async reconcile(policy, { objects }) {
      const { name, generation = 0 } = policy.metadata;
      if (generation <= (policy.status?.observedGeneration ?? 0)) return;
      const definitions = checkTypes.needsDefinitions === true ? objects(CustomResourceDefinition).list() : [];
      const expressionWarnings = [...checkTypes(policy as ValidatingAdmissionPolicy, definitions)];
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
      await objects(ValidatingAdmissionPolicy).applyStatus(
        { metadata: { name }, status: { observedGeneration: generation, typeChecking } },
        { fieldManager: FIELD_MANAGER, force: true },
      );
    },
  });
}
