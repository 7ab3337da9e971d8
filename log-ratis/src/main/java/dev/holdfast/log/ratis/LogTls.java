package dev.holdfast.log.ratis;

import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * How nodes prove themselves to each other. Both sides of a connection show a certificate. Both
 * managers are asked for every new connection, so they may return newer certificates.
 *
 * @param keys the certificate of this node, and its key
 * @param trust decides whether a certificate belongs to the node at the other end; nothing else
 *     does. The engine that it gets has the host and port of the member that is connected to
 */
public record LogTls(X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) {}
