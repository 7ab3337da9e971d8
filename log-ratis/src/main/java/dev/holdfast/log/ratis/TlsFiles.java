package dev.holdfast.log.ratis;

import java.nio.file.Path;

/**
 * The files that nodes prove themselves with to each other, in PEM. Both sides of a connection show
 * a certificate. They are read when a node is opened.
 *
 * @param certificates the certificate of this node, and those between it and the authority; names
 *     the host or the address that the members' list has for this node
 * @param privateKey its key, in PKCS #8 without a password
 * @param authorities the certificates of the authorities that sign those of the members
 */
public record TlsFiles(Path certificates, Path privateKey, Path authorities) {}
