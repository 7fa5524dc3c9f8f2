import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { podSecurityApp, PodSecurityPolicy } from './pod-security-policy.ts';

const pod = (name: string, securityContext: object = {}, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx:1', securityContext }], ...spec },
});

test('a pod that one policy allows is admitted, others are rejected with the reason', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.run(podSecurityApp());
  const pods = cluster.client.core.v1.pods.namespace('default');
  const policies = cluster.client.kind(PodSecurityPolicy);
  const denied = 'admission webhook "podsecurity.policy.example.dev" denied the request: ';
  await expect(pods.create(pod('early'))).rejects.toThrow(`${denied}no providers available to validate pod request`);

  await policies.create({
    metadata: { name: 'restricted' },
    spec: { volumes: ['configMap', 'emptyDir'], runAsUser: { rule: 'MustRunAsNonRoot' } },
  });
  await cluster.settle();
  await pods.create(pod('good', { runAsNonRoot: true }, { volumes: [{ name: 'v', emptyDir: {} }] }));
  const bad = pod('bad', { privileged: true, capabilities: { add: ['SYS_TIME'] } }, { hostNetwork: true });
  await expect(pods.create(bad)).rejects.toMatchObject({
    code: 403,
    message:
      `${denied}unable to validate against any pod security policy: [` +
      'spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used, ' +
      'spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed, ' +
      'spec.containers[0].securityContext.runAsNonRoot: Required value: must be true, ' +
      'spec.containers[0].securityContext.capabilities.add: Invalid value: "SYS_TIME": capability may not be added]',
  });
  const hostPath = { volumes: [{ name: 'v', hostPath: { path: '/' } }] };
  await expect(pods.create(pod('host', { runAsNonRoot: true }, hostPath))).rejects.toThrow(
    'spec.volumes[0]: Invalid value: "hostPath": hostPath volumes are not allowed to be used',
  );

  await policies.create({
    metadata: { name: 'privileged' },
    spec: { privileged: true, hostNetwork: true, allowedCapabilities: ['*'], volumes: ['*'] },
  });
  await cluster.settle();
  await pods.create(bad);
  await cluster.client.core.v1.pods.namespace('kube-system').create(pod('system', { privileged: true }));
});
