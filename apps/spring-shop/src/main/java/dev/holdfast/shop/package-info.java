/** A shop on Spring Boot: carts and stock are durable objects. */
@NullMarked
package dev.holdfast.shop;

import org.jspecify.annotations.NullMarked;
