package dev.holdfast.spring.broken.twice;

import dev.holdfast.spring.DurableObject;

/** Has the namespace of {@link Two}. */
@DurableObject("same")
public class One implements Calls {}
