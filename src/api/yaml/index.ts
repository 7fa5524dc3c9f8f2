export function decodeYaml(): never { throw new Error('yaml'); } export function encodeYaml(): never { throw new Error('yaml'); }
