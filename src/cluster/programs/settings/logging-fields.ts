import {
  accepted,
  durationOrNanoseconds,
  fileVerbosities,
  group,
  plainFlag,
  pointedInteger,
  quantity,
  text,
} from './setting.ts';

const LOGS = accepted('logs are configured with --v and --logging-format');
const ROUTING = {
  splitStream: plainFlag(false, LOGS),
  infoBufferSize: quantity('0', LOGS),
};

/** `logging`, which configuration files of all components have. */
export const loggingFields = group('LoggingConfiguration', {
  format: text('text', LOGS),
  flushFrequency: durationOrNanoseconds(5000, LOGS, 'log-flush-frequency'),
  verbosity: pointedInteger(0, LOGS),
  vmodule: fileVerbosities([], LOGS),
  options: group('FormatOptions', {
    text: group('TextOptions', ROUTING),
    json: group('JSONOptions', ROUTING),
  }),
});
