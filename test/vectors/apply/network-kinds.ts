import type { Part, VectorKind } from './vector-kind.ts';

export const service: VectorKind = {
  apiVersion: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
  config: (chance) => ({
    spec: {
      clusterIP: 'None',
      selector: { app: chance.pick(['x', 'y']), ...chance.members({ tier: () => 'a' }) },
      ports: chance
        .some<Part>(
          [
            { name: 'a', port: 80 },
            { name: 'b', port: 80, protocol: 'UDP' },
            { name: 'c', port: 443, protocol: 'TCP', targetPort: chance.pick([8443, 'https']) },
          ],
          1,
        )
        .map((port) => ({ ...port, ...chance.members({ appProtocol: () => chance.pick(['http', 'grpc']) }, 25) })),
      ...chance.members({
        sessionAffinity: () => chance.pick(['None', 'ClientIP']),
        publishNotReadyAddresses: () => true,
        externalIPs: () => chance.some(['10.1.1.1', '10.1.1.2'], 1),
        internalTrafficPolicy: () => chance.pick(['Local', 'Cluster']),
      }),
    },
  }),
};

const NETWORK_PEER = { podSelector: { matchLabels: { a: 'b' } } };

export const networkPolicy: VectorKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  config: (chance) => ({
    spec: {
      podSelector: { matchLabels: { app: chance.pick(['x', 'y']) } },
      ...chance.members({
        ingress: () => [
          {
            ...chance.members({
              from: () => [NETWORK_PEER],
              ports: () => [{ port: chance.pick([80, 'http']), protocol: 'TCP' }],
            }),
          },
        ],
        egress: () => [{ to: [NETWORK_PEER] }],
        policyTypes: () => chance.some(['Ingress', 'Egress'], 1),
      }),
    },
  }),
};

const backend = (name: string): Part => ({ service: { name, port: { number: 80 } } });

export const ingress: VectorKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  plural: 'ingresses',
  namespaced: true,
  config: (chance) => ({
    spec: {
      defaultBackend: backend(chance.pick(['s1', 's2'])),
      ...chance.members({
        ingressClassName: () => chance.pick(['c1', 'c2']),
        rules: () =>
          chance
            .some(['a.io', 'b.io'], 1)
            .map((host) => ({ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: backend('s') }] } })),
        tls: () => [{ hosts: chance.some(['a.io', 'b.io'], 1), secretName: 't' }],
      }),
    },
  }),
  status: (chance) => ({
    status: { loadBalancer: { ingress: chance.some(['1.1.1.1', '2.2.2.2'], 1).map((ip) => ({ ip })) } },
  }),
};
