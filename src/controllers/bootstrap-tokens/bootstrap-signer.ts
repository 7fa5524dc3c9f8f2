import { createHmac } from 'node:crypto';
import { ConfigMap, type Observed, Secret } from '../../client/index.ts';
import { controller, type Controller, watch } from '../../kit/index.ts';
import { BOOTSTRAP_TOKEN_TYPE, endOf, memberOf } from './bootstrap-token.ts';

const NAMESPACE = 'kube-public';
const NAME = 'cluster-info';
const PREFIX = 'jws-kubeconfig-';

/**
 * Signs the kubeconfig in the ConfigMap `cluster-info` with every bootstrap token, so that joining nodes can verify it.
 */
export function bootstrapSigner(): Controller {
  return controller(ConfigMap, {
    queueName: 'bootstrap_signer_queue',
    name: 'bootstrap-signer',
    where: { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` },
    watches: [
      watch(Secret, {
        to: () => [`${NAMESPACE}/${NAME}`],
        where: { namespace: 'kube-system', fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}` },
      }),
    ],
    async reconcile(map, { objects, clock, after }) {
      const { data = {} } = map;
      const content = data['kubeconfig'];
      if (content === undefined) return;
      const tokens = objects(Secret)
        .list()
        .filter((secret) => isForSigning(secret) && endOf(secret) > clock.now());
      const signatures = tokens.map((secret) => {
        const id = memberOf(secret, 'token-id');
        return [`${PREFIX}${id}`, detachedSignature(content, id, memberOf(secret, 'token-secret'))] as const;
      });
      const others = Object.entries(data).filter(([name]) => !name.startsWith(PREFIX));
      const wanted = Object.fromEntries([...others, ...signatures]);
      const firstEnd = Math.min(...tokens.map(endOf));
      if (firstEnd < Infinity) after(firstEnd - clock.now());
      const names = new Set([...Object.keys(data), ...Object.keys(wanted)]);
      if ([...names].some((name) => data[name] !== wanted[name]))
        await objects(ConfigMap).update({ ...map, data: wanted });
    },
  });
}

function isForSigning(secret: Observed<Secret>): boolean {
  const id = memberOf(secret, 'token-id');
  return (
    id !== '' &&
    memberOf(secret, 'token-secret') !== '' &&
    secret.metadata.name === `bootstrap-token-${id}` &&
    memberOf(secret, 'usage-bootstrap-signing') === 'true'
  );
}

/** A JWS (RFC 7515) without its payload, which the verifier already has. */
function detachedSignature(content: string, keyId: string, secret: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: keyId })).toString('base64url');
  const payload = Buffer.from(content).toString('base64url');
  const signature = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  return `${header}..${signature}`;
}
