import { advertisedAddress, apiServiceAddress } from '../addresses.ts';
import { frontProxyOf } from '../authentication.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';
import { bootstrapObjects, type BootstrapObjects } from './bootstrap-objects.ts';

/** The port that is advertised until the server has taken a free one. */
const DEFAULT_PORT = 6443;

/** The objects that a control plane with these options and keys begins with. */
export function bootstrapObjectsOf(options: ControlPlaneOptions, pki: ClusterPki): BootstrapObjects {
  const {
    clock,
    certificateClock = clock,
    serviceCidrs,
    serving: { listen, advertiseAddress } = {},
    access = {},
    bootstrapObjects: more = [],
  } = options;
  const port = listen?.port ?? 0;
  return bootstrapObjects({
    clock,
    certificateClock,
    advertise: {
      address: advertiseAddress ?? advertisedAddress(listen?.host ?? 'localhost'),
      port: port === 0 ? DEFAULT_PORT : port,
    },
    serviceCidrs,
    more,
    apiServiceAddress: apiServiceAddress(serviceCidrs),
    trusted: {
      clientAuthorities: access.clientAuthorities ?? pki.authority.certificate,
      frontProxy: frontProxyOf(access, pki),
    },
  });
}
