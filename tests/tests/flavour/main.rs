//! The PL/pgSQL flavour beside the native one: the same signatures, the same rows and outputs from the same inputs; how a
//! batch of inputs runs inside the server; and how the client chooses a flavour and installs its routines.

mod choose;
mod install;
mod plans;
mod same;
mod signature;
mod terminal;
