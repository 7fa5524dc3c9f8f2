import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ControlPlaneOptions } from '../../cluster/index.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';
import { fileFlag } from './file-flag.ts';

/** Flags about how nodes elsewhere are reached, under upstream's names. */
export const kubeletFlags: FlagDefinitions = {
  'kubelet-client-certificate': {
    type: 'string',
    value: 'FILE',
    help: 'Certificate shown to kubelets (one of the cluster’s own authority unless given)',
  },
  'kubelet-client-key': { type: 'string', value: 'FILE', help: 'Key of --kubelet-client-certificate' },
  'kubelet-certificate-authority': {
    type: 'string',
    value: 'FILE',
    help: 'Authorities of the certificates of kubelets (which are not looked at unless given)',
  },
  'kubelet-preferred-address-types': {
    type: 'string',
    multiple: true,
    value: 'TYPE,…',
    help: 'Which address of a node to connect to, best first (Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP unless given)',
  },
};

type KubeletSettings = NonNullable<ControlPlaneOptions['kubelets']>;

export function kubeletSettings(flags: Flags): KubeletSettings {
  const client = clientOf(flags);
  const authorities = fileFlag(flags, 'kubelet-certificate-authority');
  const addressTypes = flags.list('kubelet-preferred-address-types');
  return {
    ...(client === undefined ? {} : { client }),
    ...(authorities === undefined ? {} : { authorities }),
    ...(addressTypes.length === 0 ? {} : { addressTypes }),
  };
}

function clientOf(flags: Flags): KubeletSettings['client'] {
  const certificate = fileFlag(flags, 'kubelet-client-certificate');
  const privateKey = fileFlag(flags, 'kubelet-client-key');
  if (certificate === undefined && privateKey === undefined) return undefined;
  if (certificate === undefined || privateKey === undefined)
    throw new UsageError('--kubelet-client-certificate and --kubelet-client-key go together');
  try {
    if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey)))
      return { certificate, privateKey };
  } catch (cause) {
    throw new UsageError('--kubelet-client-certificate or --kubelet-client-key is no PEM that can be read', { cause });
  }
  throw new UsageError('--kubelet-client-key is not the key of --kubelet-client-certificate');
}
