import type { ExpressionWarning } from '../api/types/admissionregistration/v1.d.ts';
import { ValidatingAdmissionPolicy } from '../client/index.ts';
import { type Controller, controller } from '../kit/index.ts';

const FIELD_MANAGER = 'validatingadmissionpolicy-status-controller';

/** What looks wrong in the expressions of a policy; who runs beside the server knows the types of all kinds. */
export type CheckPolicyTypes = (policy: ValidatingAdmissionPolicy) => readonly ExpressionWarning[];

/** Says in the status of ValidatingAdmissionPolicies what their expressions get wrong about the types of objects. */
export function policyStatus(checkTypes: CheckPolicyTypes): Controller {
  return controller(ValidatingAdmissionPolicy, {
    name: 'validatingadmissionpolicy-status',
    concurrency: 5,
    async reconcile(policy, { objects }) {
      const { name, generation = 0 } = policy.metadata;
      if (generation <= (policy.status?.observedGeneration ?? 0)) return;
      const expressionWarnings = [...checkTypes(policy as ValidatingAdmissionPolicy)];
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
      await objects(ValidatingAdmissionPolicy).applyStatus(
        { metadata: { name }, status: { observedGeneration: generation, typeChecking } },
        { fieldManager: FIELD_MANAGER, force: true },
      );
    },
  });
}
