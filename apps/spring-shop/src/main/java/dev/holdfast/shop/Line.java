package dev.holdfast.shop;

/**
 * A line of a cart.
 *
 * @param article the article
 * @param quantity how many
 */
public record Line(String article, int quantity) {}
