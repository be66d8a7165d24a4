/**
 * The size limit of uploaded files. The proxies of deploy/ allow a little more, for the rest of the request:
 * docs/security.md#files
 */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
