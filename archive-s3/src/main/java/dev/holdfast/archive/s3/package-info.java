/**
 * An archive in object storage that speaks the protocol of Amazon S3. {@code
 * docs/operations/archive.md} has the use.
 */
@NullMarked
package dev.holdfast.archive.s3;

import org.jspecify.annotations.NullMarked;
