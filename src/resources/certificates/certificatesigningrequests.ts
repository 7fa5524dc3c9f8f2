import { formatTime, instantOfMillis } from '../../api/index.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
} from '../../api/types/certificates/v1.d.ts';
import type { Strategy, UserInfo } from '../../apiserver/index.ts';
import { certificateSigningRequestColumns } from '../columns/access-columns.ts';
import { arrange } from '../arrange.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkApproval, checkRequest, checkRequestStatus } from './certificatesigningrequest-rules.ts';

type Request = Whole<CertificateSigningRequest>;

export const certificateSigningRequests = defineKind<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  plural: 'certificatesigningrequests',
  columns: certificateSigningRequestColumns,
  resetFields: {
    '': ['spec', 'status'],
    approval: ['spec', 'status.certificate'],
    status: ['spec', 'status.conditions'],
  },
  checkName: () => [],

  /** Who asks is found out, not believed. */
  prepareForCreate(request, { user }) {
    request.spec = { ...request.spec, ...requester(user) };
  },

  /** A request stays as it was made; approving and signing have their own subresources. */
  prepareForUpdate(request, old) {
    request.spec = old.spec;
  },

  prepareForStatusUpdate(request, old, { now }) {
    keepConditions(request, old, 'Approved');
    keepConditions(request, old, 'Denied');
    noteTimes(request, old, now);
  },

  validate: checkRequest,
  validateStatus: checkRequestStatus,
  selectable: { 'spec.signerName': ({ spec }) => spec.signerName },
  subresources: {
    approval: (info, own) => ({
      type: 'view',
      verbs: info.verbs,
      strategy: approvalStrategy(own, (object) => arrange(object, info.type)),
    }),
  },
});

function requester({ name, uid, groups, extra }: UserInfo): Partial<CertificateSigningRequestSpec> {
  const hasExtra = extra !== undefined && Object.keys(extra).length > 0;
  return {
    username: name,
    uid,
    groups: groups.length === 0 ? undefined : [...groups],
    extra: hasExtra ? Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) : undefined,
  };
}

/** The old conditions of a type stay as they were, unless some were added or taken away: validation refuses that. */
function keepConditions(request: Request, old: Request, type: string): void {
  const conditions = request.status.conditions ?? [];
  const before = (old.status.conditions ?? []).filter((condition) => condition.type === type);
  const places = conditions.flatMap((condition, index) => (condition.type === type ? [index] : []));
  if (before.length !== places.length || before.length === 0) return;
  const kept = [...conditions];
  for (const [index, place] of places.entries()) kept[place] = before[index] as CertificateSigningRequestCondition;
  request.status = { ...request.status, conditions: kept };
}

function noteTimes(request: Request, old: Request, now: number): void {
  const { conditions } = request.status;
  if (conditions === undefined) return;
  const at = formatTime(instantOfMillis(now));
  request.status = {
    ...request.status,
    conditions: conditions.map((condition) => {
      const before = (old.status.conditions ?? []).find(
        ({ type, status, lastTransitionTime }) =>
          type === condition.type && status === condition.status && (lastTransitionTime ?? '') !== '',
      );
      return {
        ...condition,
        lastUpdateTime: condition.lastUpdateTime ?? at,
        lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? at,
      };
    }),
  };
}

/** Approving or denying changes the conditions and nothing else. */
function approvalStrategy(own: Strategy, order: (object: never) => void): Strategy {
  return {
    ...own,
    prepareForUpdate(object, old, { now }) {
      const request = object as unknown as Request;
      const was = old as unknown as Request;
      noteTimes(request, was, now);
      request.spec = was.spec;
      request.status = { ...was.status, conditions: request.status.conditions };
      order(object as never);
    },
    validateUpdate: (object, old) => checkApproval(object as unknown as Request, old as unknown as Request),
  };
}
