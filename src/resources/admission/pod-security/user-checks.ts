import { type Check, containersOf, naming, type SecuredPod, setters, unlessOwnUsers, type Violation } from './check.ts';

/** Restricted: containers must not run as root. */
export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  revisions: [
    { since: 0, judge: judgeNonRoot },
    { since: 35, judge: unlessOwnUsers(judgeNonRoot) },
  ],
};

/** Restricted: neither the pod nor its containers set user 0. */
export const runAsUser: Check = {
  id: 'runAsUser',
  revisions: [
    { since: 23, judge: judgeUser },
    { since: 35, judge: unlessOwnUsers(judgeUser) },
  ],
};

function judgeNonRoot({ spec }: SecuredPod): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const ofPod = spec.securityContext?.runAsNonRoot;
  const containers = containersOf(spec);
  const bad = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (ofPod === false || bad.length > 0) {
    return { reason, detail: `${setters(ofPod === false, bad)} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (ofPod === true || silent.length === 0) return undefined;
  return { reason, detail: `pod or ${naming(silent)} must set securityContext.runAsNonRoot=true` };
}

function judgeUser({ spec }: SecuredPod): Violation | undefined {
  const isPod = spec.securityContext?.runAsUser === 0;
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPod && bad.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters(isPod, bad)} must not set runAsUser=0` };
}
