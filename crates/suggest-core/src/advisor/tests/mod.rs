mod bounds;
mod frames;
mod notes;
mod said_before;
mod status_text;
