import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { AggregationOptions } from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';
import { fileFlag } from '../read-flags.ts';

/** Flags about API servers behind this one, under upstream's names. */
export const aggregationFlags: FlagDefinitions = {
  'proxy-client-cert-file': {
    type: 'string',
    value: 'FILE',
    help: 'Certificate shown to API servers behind this one (default: one of the cluster’s own front proxy)',
  },
  'proxy-client-key-file': { type: 'string', value: 'FILE', help: 'Key of --proxy-client-cert-file' },
  'enable-aggregator-routing': {
    type: 'boolean',
    help: 'Reach API servers behind this one at their endpoints; =false at the cluster IP of their Service (default: endpoints, and names of ExternalName Services,)',
  },
  'aggregator-reject-forwarding-redirect': {
    type: 'boolean',
    default: true,
    help: 'Refuse answers of API servers behind this one that send clients elsewhere',
  },
};

export function aggregationSettings(flags: FlagValues): AggregationOptions {
  const proxyClient = proxyClientOf(flags);
  const routing = flags.isSet('enable-aggregator-routing') ? 'endpoints' : 'cluster-ip';
  return {
    ...(proxyClient === undefined ? {} : { proxyClient, ...proxyClientFiles(flags) }),
    ...(flags.has('enable-aggregator-routing') ? { routing } : {}),
    forwardsRedirects: !flags.isSet('aggregator-reject-forwarding-redirect'),
  };
}

/** The files are read again when they change. */
function proxyClientFiles(flags: FlagValues): Pick<AggregationOptions, 'proxyClientFiles'> {
  const [certificate, privateKey] = [flags.text('proxy-client-cert-file'), flags.text('proxy-client-key-file')];
  if (certificate === undefined || privateKey === undefined) return {};
  return { proxyClientFiles: { certificate, privateKey } };
}

function proxyClientOf(flags: FlagValues): AggregationOptions['proxyClient'] {
  const certificate = fileFlag(flags, 'proxy-client-cert-file');
  const privateKey = fileFlag(flags, 'proxy-client-key-file');
  if (certificate === undefined && privateKey === undefined) return undefined;
  if (certificate === undefined || privateKey === undefined)
    throw new FlagError('--proxy-client-cert-file and --proxy-client-key-file go together');
  try {
    if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey)))
      return { certificate, privateKey };
  } catch (cause) {
    throw new FlagError('--proxy-client-cert-file or --proxy-client-key-file is no PEM that can be read', { cause });
  }
  throw new FlagError('--proxy-client-key-file is not the key of --proxy-client-cert-file');
}
