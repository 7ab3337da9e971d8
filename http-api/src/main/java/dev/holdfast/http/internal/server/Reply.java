package dev.holdfast.http.internal.server;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * An answer.
 *
 * @param status the status
 * @param headers by name; without those of length, date and connection
 * @param body the body; read once
 * @param holder for whom it is held until the client has read it
 */
public record Reply(int status, Map<String, String> headers, ByteBuffer body, String holder) {}
