/** Durable objects as classes of a Spring Boot application. */
@NullMarked
package dev.holdfast.spring;

import org.jspecify.annotations.NullMarked;
