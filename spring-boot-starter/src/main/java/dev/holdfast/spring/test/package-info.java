/** Tests of applications: a data directory for each context, and a slice with objects only. */
@NullMarked
package dev.holdfast.spring.test;

import org.jspecify.annotations.NullMarked;
