package dev.holdfast.http.server.internal;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * An answer to a request.
 *
 * @param status the status
 * @param headers by name, without those for length, date and connection
 * @param body the body; read once
 * @param holder the holder to which it is charged until the client has read it
 */
public record Reply(int status, Map<String, String> headers, ByteBuffer body, String holder) {}
