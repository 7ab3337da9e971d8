/** Tests of which nodes are members. */
@NullMarked
package dev.holdfast.cluster.member;

import org.jspecify.annotations.NullMarked;
