package dev.holdfast.spring.broken.twice;

import dev.holdfast.spring.DurableObject;

/** Has the namespace of {@link One}. */
@DurableObject("same")
public class Two implements Calls {}
