package dev.holdfast.http.internal.server;

import java.util.Map;

/**
 * An answer.
 *
 * @param status the status
 * @param headers by name; without those of length, date and connection
 * @param body the body; not copied
 */
public record Reply(int status, Map<String, String> headers, byte[] body) {}
