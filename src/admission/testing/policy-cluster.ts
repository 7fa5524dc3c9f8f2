// An API server in this process, with shorthands for writing policies.
import { startCluster, type StartClusterOptions, type TestCluster } from '../../testing/index.ts';
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicySpec,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { Client } from '../../client/index.ts';

/** Starts a cluster where nothing runs but the server. */
export function startServer(options: StartClusterOptions = {}): Promise<TestCluster> {
  return startCluster({ controllers: false, scheduler: false, nodes: 0, seed: 'policies', ...options });
}

export const onConfigMaps = {
  resourceRules: [
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      operations: ['CREATE' as const, 'UPDATE' as const],
      resources: ['configmaps'],
    },
  ],
};

type BindingOptions = { readonly paramRef?: { name: string; namespace?: string; parameterNotFoundAction: string } };

/** A validating policy, for ConfigMaps by default, with a binding that denies. */
export async function validate(
  client: Client,
  name: string,
  { paramRef, ...spec }: ValidatingAdmissionPolicySpec & BindingOptions,
): Promise<void> {
  const { v1 } = client.admissionregistration;
  await v1.validatingadmissionpolicies.create({
    metadata: { name },
    spec: { matchConstraints: onConfigMaps, ...spec },
  });
  await v1.validatingadmissionpolicybindings.create({
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...(paramRef === undefined ? {} : { paramRef }) },
  });
}

/** The same for a policy that mutates. */
export async function mutate(client: Client, name: string, spec: MutatingAdmissionPolicySpec): Promise<void> {
  const { v1 } = client.admissionregistration;
  await v1.mutatingadmissionpolicies.create({
    metadata: { name },
    spec: { matchConstraints: onConfigMaps, reinvocationPolicy: 'Never', ...spec },
  });
  await v1.mutatingadmissionpolicybindings.create({ metadata: { name }, spec: { policyName: name } });
}
