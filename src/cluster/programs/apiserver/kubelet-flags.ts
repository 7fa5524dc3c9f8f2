import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KubeletOptions } from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';
import { fileFlag } from '../read-flags.ts';

/** Flags about how nodes elsewhere are reached, under upstream's names. */
export const kubeletFlags: FlagDefinitions = {
  'kubelet-client-certificate': {
    type: 'string',
    value: 'FILE',
    help: 'Certificate shown to kubelets (default: one of the cluster’s own authority)',
  },
  'kubelet-client-key': { type: 'string', value: 'FILE', help: 'Key of --kubelet-client-certificate' },
  'kubelet-certificate-authority': {
    type: 'string',
    value: 'FILE',
    help: 'Authorities of the certificates of kubelets (default: they are not verified)',
  },
  'kubelet-preferred-address-types': {
    type: 'string',
    multiple: true,
    value: 'TYPE,…',
    help: 'Which address of a node to connect to, best first (default: Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP)',
  },
};

export function kubeletSettings(flags: FlagValues): KubeletOptions {
  const client = clientOf(flags);
  const authorities = fileFlag(flags, 'kubelet-certificate-authority');
  const addressTypes = flags.list('kubelet-preferred-address-types');
  return {
    ...(client === undefined ? {} : { client }),
    ...(authorities === undefined ? {} : { authorities }),
    ...(addressTypes.length === 0 ? {} : { addressTypes }),
  };
}

function clientOf(flags: FlagValues): KubeletOptions['client'] {
  const certificate = fileFlag(flags, 'kubelet-client-certificate');
  const privateKey = fileFlag(flags, 'kubelet-client-key');
  if (certificate === undefined && privateKey === undefined) return undefined;
  if (certificate === undefined || privateKey === undefined)
    throw new FlagError('--kubelet-client-certificate and --kubelet-client-key go together');
  try {
    if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey)))
      return { certificate, privateKey };
  } catch (cause) {
    throw new FlagError('--kubelet-client-certificate or --kubelet-client-key is no PEM that can be read', { cause });
  }
  throw new FlagError('--kubelet-client-key is not the key of --kubelet-client-certificate');
}
