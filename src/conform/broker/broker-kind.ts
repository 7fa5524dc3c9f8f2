import type { SuiteKind } from '../suite-request.ts';

export const brokerKind: SuiteKind = {
  kind: 'broker',
  summary:
    'Service brokers, by the Open Service Broker API 2.17. URL is http://… or https://…; a COMMAND is started with its port in PORT and for {port}, and killed',
  synopsis: '-- URL | COMMAND [ARGUMENT…]',
  flags: {
    'broker-user': { type: 'string', value: 'NAME:PASSWORD', help: 'broker: credentials for basic authentication' },
    'broker-token': { type: 'string', value: 'TOKEN', help: 'broker: a bearer token' },
    'broker-ca': {
      type: 'string',
      value: 'FILE',
      help: "broker: the authorities to trust, as PEM (default: the system's)",
    },
    'broker-plan': {
      type: 'string',
      value: 'SERVICE/PLAN,…',
      multiple: true,
      help: 'broker: the plans to try, by their names (default: the first four of the catalog)',
    },
    'provision-parameters': { type: 'string', value: 'JSON', default: '{}', help: 'broker: parameters of instances' },
    'update-parameters': {
      type: 'string',
      value: 'JSON',
      help: 'broker: parameters that instances can be changed to (default: changes of parameters are not judged)',
    },
    'bind-parameters': { type: 'string', value: 'JSON', default: '{}', help: 'broker: parameters of bindings' },
    'other-bind-parameters': {
      type: 'string',
      value: 'JSON',
      help: 'broker: other parameters of bindings (default: requests for the same binding with others are not judged)',
    },
    'work-within': {
      type: 'string',
      value: 'DURATION',
      default: '1m',
      help: 'broker: how long work in the background may take, and a COMMAND until it answers',
    },
  },
  load: async () => (await import('./broker-suite.ts')).brokerSuiteFor,
};
