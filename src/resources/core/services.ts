import type { Service } from '../../api/types/core/v1.d.ts';
import type { Alongside, Change, WriteContext } from '../../apiserver/index.ts';
import { serviceColumns } from '../columns/service-columns.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind } from '../kind.ts';
import { labelName } from '../name-rules.ts';
import { proxied } from './connections.ts';
import { ServiceAllotment } from './service-allotment.ts';
import { dropWhatTypeLacks, keepAllotted, syncClusterIps } from './service-carry-over.ts';
import { defaultService } from './service-defaults.ts';
import { checkLoadBalancerStatus, checkService } from './service-rules.ts';
import { checkServiceUpdate } from './service-update-rules.ts';
import { serviceWarnings } from './service-warnings.ts';

export function services(environment: KindEnvironment): Kind {
  const allotment = new ServiceAllotment(environment);
  const endpoints = environment.objects.of('', 'endpoints');

  /** The Endpoints of a service go with it, so that the next service of the name does not start with them. */
  async function alongside(change: Change, context: WriteContext): Promise<Alongside> {
    const own = await allotment.alongside(change, context);
    if (change.type !== 'delete') return own;
    const { namespace = '', name = '' } = change.old.metadata;
    const key = endpoints.keyOf(namespace, name);
    return { ...own, operations: [...own.operations, { type: 'delete', key }] };
  }

  return defineKind<Service>({
    group: '',
    plural: 'services',
    columns: serviceColumns,
    folder: 'services/specs',
    checkName: labelName,
    createOnUpdate: true,
    returnsDeletedObject: true,
    applyDefaults: defaultService,

    async prepareForCreate(service, context) {
      syncClusterIps(service, undefined);
      await allotment.choose(service, undefined, context);
    },

    async prepareForUpdate(service, old, context) {
      keepAllotted(service, old);
      syncClusterIps(service, old);
      await allotment.choose(service, old, context);
      dropWhatTypeLacks(service, old);
    },

    validate: (service) => checkService(service, undefined),
    validateUpdate: (service, old) => [...checkServiceUpdate(service, old), ...checkService(service, old)],
    validateStatus: (service, old) =>
      checkLoadBalancerStatus(service.status, { old: old.status, type: service.spec.type ?? '' }),
    warnings: serviceWarnings,
    alongside,

    selectable: {
      'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
      'spec.type': ({ spec }) => spec.type ?? '',
    },
    subresources: { proxy: proxied(environment, 'serviceproxy') },
  });
}
